namespace LoadTesting.Core.Results;

/// <summary>
/// The parts of one load as one result: counts, histograms, timelines and ledgers add up exactly, thresholds are judged
/// on the whole, and the sum is held against what the service counted. Parts that are not all of one load are refused,
/// with every reason.
/// </summary>
public static class PartMerge
{
    /// <summary>The check of how far apart the parts began.</summary>
    public const string StartsApart = "startsApart";

    /// <summary>The most that the parts may begin apart, as a share of the shortest one's duration.</summary>
    private const double MostApart = 0.1;

    /// <summary>Whether any of these runs is a part of a load.</summary>
    public static bool AreParts(IReadOnlyList<ComparisonSource> sources) =>
        sources.Any(source => source.Run.Scenarios.Any(scenario => scenario.Part is not null));

    /// <summary>The addresses of the service that the parts loaded.</summary>
    /// <exception cref="FormatException">The runs are not all parts of one load; the message names every
    /// reason.</exception>
    public static IReadOnlyList<string> ServicesOf(IReadOnlyList<ComparisonSource> sources)
    {
        string[] problems = [.. OfRuns(sources), .. OfParts(sources)];
        return problems.Length == 0
            ? [.. sources[0].Run.Scenarios[0].Part!.Services.Keys]
            : throw new FormatException($"The parts are not "
                + $"merged:\n{string.Join("\n", problems.Select(problem => "- " + problem))}");
    }

    /// <summary>Merges all parts of a load.</summary>
    /// <param name="sources">The parts, in any order.</param>
    /// <param name="pages">The metrics of each process of the service after the last part, by its address.</param>
    /// <exception cref="FormatException">They are not all parts of one load, or the service was restarted
    /// since.</exception>
    public static RunResult Of(
        IReadOnlyList<ComparisonSource> sources, IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> pages)
    {
        foreach (var service in ServicesOf(sources))
        {
            var before = sources[0].Run.Scenarios[0].Part!.Services[service];
            if (!pages.TryGetValue(service, out var page)
                || MetricsPage.Value(page, MetricsPage.ProcessStart) != before)
            {
                throw new FormatException(
                    $"{service} is another process than the one that the parts loaded, and has not counted their "
                        + "operations. Run all parts again, and merge them before the service is restarted.");
            }
        }

        List<ComparisonSource> parts = [.. sources.OrderBy(source => source.Run.Scenarios[0].Part!.Index)];
        var wholes = new List<ScenarioResult>();
        foreach (var inputs in RunMerge.Groups(parts))
        {
            wholes.Add(Scenario([.. inputs], [.. pages.Values], wholes));
        }

        return RunMerge.Together(parts, string.Create(CultureInfo.InvariantCulture, $"whole{parts.Count}"), wholes);
    }

    /// <summary>Why runs are not parts.</summary>
    private static IEnumerable<string> OfRuns(IReadOnlyList<ComparisonSource> sources)
    {
        foreach (var source in sources)
        {
            var name = source.Run.Scenarios is [{ Part: { } part }, ..] ? $"{part} ({source.Label})" : source.Label;
            var partials =
                source.Run.Scenarios.Select(scenario => scenario.Partial).Prepend(source.Run.Partial).OfType<string>();
            if (partials.FirstOrDefault() is { } partial)
            {
                yield return $"{name} is partial: {partial}. Run all parts again.";
            }
            else if (source.Run.Scenarios.Count == 0 || source.Run.Scenarios.Any(scenario => scenario.Part is null))
            {
                yield return $"{name} is not a part of a load. Merge parts with parts, and whole runs with whole runs.";
            }
        }
    }

    /// <summary>Why parts are not all of one load.</summary>
    private static IEnumerable<string> OfParts(IReadOnlyList<ComparisonSource> sources)
    {
        List<(string Label, RunResult Run, PartResult Part)> parts =
        [
            .. sources.Where(source => source.Run.Scenarios is [{ Part: not null }, ..])
                .Select(source => (source.Label, source.Run, source.Run.Scenarios[0].Part!))
                .OrderBy(part => part.Item3.Index),
        ];
        if (parts.Count == 0)
        {
            yield break;
        }

        foreach (var twice in parts.GroupBy(part => part.Part.Index).Where(same => same.Count() > 1))
        {
            yield return $"part {twice.Key} is there {twice.Count()} times: {string.Join(", ", twice.Select(part => part.Label))}.";
        }

        foreach (var missing in Enumerable.Range(1, parts[0].Part.Of).Except(parts.Select(part => part.Part.Index)))
        {
            yield return $"part {missing}/{parts[0].Part.Of} is missing.";
        }

        var first = parts[0];
        foreach (var other in parts.Skip(1))
        {
            foreach (var (what, one, another) in Marks(first.Run)
                .Zip(Marks(other.Run), (a, b) => (a.What, a.Value, b.Value)))
            {
                if (one != another)
                {
                    yield return $"{what} is '{one}' in {first.Part} ({first.Label}) and '{another}' in {other.Part} ({other.Label}).";
                }
            }
        }

        var (lastBegun, firstEnded) =
            (parts.MaxBy(part => part.Part.StartedUtc), parts.MinBy(part => part.Part.EndedUtc));
        if (lastBegun.Part.StartedUtc >= firstEnded.Part.EndedUtc)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"{lastBegun.Part} ({lastBegun.Label}) began {(lastBegun.Part.StartedUtc - firstEnded.Part.EndedUtc).TotalSeconds:0.0} s "
                    + $"after {firstEnded.Part} ({firstEnded.Label}) had ended: they are not one load. Start them together, with --start-at.");
        }
    }

    /// <summary>What must be the same in all parts.</summary>
    private static IEnumerable<(string What, string Value)> Marks(RunResult run)
    {
        var part = run.Scenarios[0].Part!;
        yield return ("the number of parts", $"{part.Of}");
        yield return ("commit", $"{run.Commit}{(run.Dirty == true ? " with uncommitted changes" : "")}");
        yield return ("build", part.Build);
        yield return ("service", string.Join(", ", part.Services.Select(service => string.Create(
            CultureInfo.InvariantCulture, $"{service.Key} started at {service.Value}")).Order(StringComparer.Ordinal)));
        yield return ("scenario", string.Join(", ", run.Scenarios.Select(scenario => scenario.Name)));
        yield return ("load",
            string.Join(", ", run.Scenarios.Select(scenario => $"{scenario.LoadModel} by {scenario.LoadEngine}")));
        yield return ("content", string.Join(", ", run.Scenarios.Select(scenario => scenario.DefinitionHash)));
        yield return ("injection", string.Join(", ", run.Scenarios.Select(scenario => scenario.Injected)));
    }

    /// <param name="others">Those that ran at the same time and have been merged: the sum of all comes last.</param>
    private static ScenarioResult Scenario(
        IReadOnlyList<MergeInput> inputs, IReadOnlyList<IReadOnlyDictionary<string, double>> pages,
        IReadOnlyList<ScenarioResult> others)
    {
        List<PartResult> parts = [.. inputs.Select(input => input.Scenario.Part!)];
        var began = parts.Min(part => part.StartedUtc);
        double[] later = [.. parts.Select(part => (part.StartedUtc - began).TotalMilliseconds)];
        return ScenarioMerge.Of(inputs, merged =>
        {
            var duration = inputs.Zip(later, (input, laterMs) => laterMs + input.Scenario.DurationMs).Max();
            var completed = inputs.Sum(input => input.Completed);
            CheckResult[] checks = [.. Counted(parts, pages), Together(parts, later, inputs)];
            var whole = merged with
            {
                StartedUtc = began,
                DurationMs = duration,
                ThroughputPerSecond = duration > 0 ? completed / duration * 1000 : 0,
                Timeline =
                    TimelineMerge.Of([.. inputs.Zip(later, (input, laterMs) => (input.Scenario.Timeline, laterMs))]),
                Stalls = [.. inputs.Zip(later).SelectMany(
                    part => part.First.Scenario.Stalls ?? [],
                    (part, stall) => stall with { AtMs = stall.AtMs + part.Second })
                    .OrderBy(stall => stall.AtMs)],
                Requests = RequestResult.SumOf([.. inputs.Select(input => input.Scenario.Requests)]),
                Backend = null,
                Resources = null,
                Validity = (merged.Validity ?? new ValidityResult())
                    with { Checks = [.. merged.Validity?.Checks ?? [], .. checks] },
                Part = null,
                Parts = parts,
                Runs = null,
                Notes = [.. merged.Notes, $"{Quantity.Of(parts.Count, "part")}, added up: {checks[^1].Reason}."],
            };
            whole = whole with
            {
                Thresholds = [.. (inputs[0].Scenario.Thresholds ?? []).Select(rule => Judged(rule, whole, others))],
            };
            return whole with { Verdict = Judge(whole, parts, checks) };
        });
    }

    /// <summary>The sum of the parts against what the service counted meanwhile.</summary>
    private static IEnumerable<CheckResult> Counted(
        IReadOnlyList<PartResult> parts, IReadOnlyList<IReadOnlyDictionary<string, double>> pages)
    {
        foreach (var same in parts.SelectMany(part => part.Counts).GroupBy(count => count.Name))
        {
            // The least that a part saw before its warm-up was there before all of them.
            var counted = (long)(same.First().ReadFrom(pages) - same.Min(count => count.Before));
            var (least, most) = (same.Sum(count => count.Least), same.Sum(count => count.Most));
            var (lost, more) = (Math.Max(0, least - counted), Math.Max(0, counted - most));
            var surplus =
                "doubled, or somebody else's" + (same.Key == PartCount.Completed ? ", or their event was lost" : "");
            var found = lost > 0 ? $": {lost} lost" : more > 0 ? $": {more} {surplus}" : "";
            yield return CheckResult.AtMost(
                $"{same.Key}Once", CheckSubject.System, lost + more, 0,
                $"the service counted {counted} {same.Key}, the parts {least} and {most - least} unanswered, with the warm-up{found}");
        }
    }

    private static CheckResult Together(
        IReadOnlyList<PartResult> parts, double[] later, IReadOnlyList<MergeInput> inputs)
    {
        var (apart, last) = (later.Max() / 1000, parts[Array.IndexOf(later, later.Max())]);
        var error = parts.Max(part => part.ClockErrorMs) / 1000;
        var allowed = MostApart * inputs.Min(input => input.Scenario.DurationMs) / 1000;
        return CheckResult.AtMost(
            StartsApart, CheckSubject.Measurement, apart, allowed,
            $"the parts began {apart:0.000} s apart by the service's clock (±{error:0.000} s), {last} last; {allowed:0.000} s are allowed");
    }

    private static ThresholdResult Judged(
        ThresholdResult rule, ScenarioResult whole, IReadOnlyList<ScenarioResult> others)
    {
        // The sum of several scenarios has the rules of each, by its name.
        if (others.SelectMany(other => other.Thresholds ?? [],
            (other, judged) => judged with { Metric = $"{other.Name}: {judged.Metric}" })
            .FirstOrDefault(judged => judged.Metric == rule.Metric && judged.Limit == rule.Limit) is { } known)
        {
            return known;
        }

        if (Threshold.Of(rule) is not { } threshold)
        {
            return rule with
            {
                Measured = null, Outcome = ThresholdOutcome.NotEnoughSamples,
                Limit = $"{rule.Limit}; is code, which no merge can judge",
            };
        }

        var ledger = whole.Ledger!;
        var latency = threshold.StepName is { } step ? whole.Phases.GetValueOrDefault(step) : whole.Latency;
        return threshold.Evaluate(new ThresholdSubject(
            latency?.Histogram is { } text ? LatencyHistogram.Parse(text) : new LatencyHistogram(),
            threshold.StepName is null ? Math.Max(0, ledger.Requested - ledger.Dropped - ledger.Completed) : 0,
            threshold.StepName is null ? ledger.Dropped : 0,
            whole.DurationMs > 0 ? (latency?.N ?? 0) / whole.DurationMs * 1000 : 0));
    }

    /// <summary>
    /// The worst of what the parts found by themselves, the account of the whole, its thresholds and its checks.
    /// </summary>
    private static VerdictResult Judge(
        ScenarioResult whole, IReadOnlyList<PartResult> parts, IReadOnlyList<CheckResult> checks)
    {
        var isSmoke = SmokeTier.Is(whole.Tier);
        (VerdictOutcome Outcome, string Reason)[] found =
        [
            .. parts.SelectMany(
                part => part.Found.Reasons, (part, reason) => (part.Found.Outcome, $"{part}: {reason}")),
            .. whole.Ledger!.Violations().Select(violation => (VerdictOutcome.Failed, violation)),
            .. checks.Where(check => check.Outcome == CheckOutcome.Failed)
                .Select(check => (OutcomeOf(check), $"{check.Name}: {check.Reason}")),
            .. whole.Thresholds!.Where(rule => rule.Outcome != ThresholdOutcome.Passed)
                .Select(rule => (OutcomeOfRule(rule), $"{rule}")),
        ];
        VerdictOutcome[] order = [VerdictOutcome.Failed, VerdictOutcome.Inconclusive, VerdictOutcome.Passed];
        return new(
            order.FirstOrDefault(outcome => Array.Exists(found, it => it.Outcome == outcome), VerdictOutcome.Passed),
            [.. found.OrderBy(it => Array.IndexOf(order, it.Outcome)).Select(it => it.Reason)]);

        static VerdictOutcome OutcomeOf(CheckResult check) =>
            check.Subject == CheckSubject.System ? VerdictOutcome.Failed : VerdictOutcome.Inconclusive;

        VerdictOutcome OutcomeOfRule(ThresholdResult rule) =>
            rule.Kind == ThresholdKind.Counts ? VerdictOutcome.Failed
            : isSmoke ? VerdictOutcome.Passed
            : rule.Outcome == ThresholdOutcome.Failed ? VerdictOutcome.Failed
            : VerdictOutcome.Inconclusive;
    }
}
