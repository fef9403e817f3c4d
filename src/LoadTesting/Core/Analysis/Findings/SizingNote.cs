namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// A first answer on sizing, one sentence per profile, from the scenario with the highest throughput: the first limit,
/// the next limit by the utilisation law, and what to change first.
/// </summary>
public static class SizingNote
{
    /// <summary>The notes, in the order of profiles; none for a profile where nothing was examined.</summary>
    public static IReadOnlyList<string> Of(RunResult run) =>
        [.. run.Scenarios.GroupBy(scenario => scenario.Profile)
            .Select(profile => Of(run, profile.Key, [.. profile])).OfType<string>()];

    private static string? Of(RunResult run, string profile, IReadOnlyList<ScenarioResult> scenarios)
    {
        // A run that failed, or that the generator limited, says nothing about the system.
        var most = scenarios
            .Where(s => s.Verdict.Outcome == VerdictOutcome.Passed && s.Findings is { } f
                && f.Resources.Any(r => r.State != ResourceState.NotExamined))
            .Where(s => s.Findings!.Ranked.All(finding => finding.Resource != ResourceNames.Generator))
            .MaxBy(s => s.ThroughputPerSecond);
        if (most?.Findings is not { } findings)
        {
            return null;
        }

        var load =
            $"{profile}: {Comfort(run, profile)}at {Figures.Rate(most.ThroughputPerSecond)} operations/s "
                + $"({most.NameWithoutProfile()})";
        if (findings.Ranked.FirstOrDefault() is not { } first)
        {
            var least = findings.Resources.Where(r => r.LimitPerSecond is not null).MinBy(r => r.LimitPerSecond);
            return load + " no examined resource takes a considerable share of the response time" +
                (least is null
                    ? "." : $"; the first to be full would be {least.Resource}, at {Figures.Rate(least.LimitPerSecond)}/s.");
        }

        var next =
            findings.Resources.Where(r => r.Resource != first.Resource && r.LimitPerSecond > most.ThroughputPerSecond)
            .MinBy(r => r.LimitPerSecond);
        return $"{load} {first.Resource} comes first, with {Figures.Percent(first.ShareOfResponseTime)} of "
            + $"{Figures.Ms(1000 * findings.ResponseSeconds)} ms"
            + (next is null ? "" : $"; next would be {next.Resource}, at {Figures.Rate(next.LimitPerSecond)}/s")
            + $". Change first: {first.Suggestion}"
            + (first.Confidence == FindingConfidence.Low ? " (Low confidence: measure again on a quiet machine.)" : "");
    }

    /// <summary>
    /// The last comfortable load: of an open load if the run searched for it, else of its closed load steps.
    /// </summary>
    private static string Comfort(RunResult run, string profile)
    {
        var ladders = run.Capacity.Where(capacity => capacity.Profile == profile).ToList();
        return ladders.Select(ladder => ladder.Open?.LastComfortable).FirstOrDefault(rate => rate is not null)
            is { } open
            ? $"comfortable up to {Figures.Rate(open)}/s; "
            : ladders.Select(ladder => ladder.Closed?.LastComfortable).FirstOrDefault(requests => requests is not null)
                is { } closed
                ? $"comfortable up to {Figures.Counter(closed)} requests at a time; "
                : "";
    }
}
