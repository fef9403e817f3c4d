using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>One result of one run, and the night it belongs to.</summary>
internal sealed record HistoryEntry(RunResult Run, ScenarioResult Scenario, int Night)
{
    public ComparisonColumn Column => new("", Scenario.Profile, new ComparisonSource(Run.RunId, Run));

    /// <summary>What must stay the same for values to be of one series. Settings and versions may change: what they change is sought.
    /// The load model says how many operations, where that is given.</summary>
    public string Conditions => ContentHash.Of(
        Run.Environment.Fingerprint ?? "", Column.Backend?.Durability ?? "", Scenario.DefinitionHash ?? "",
        Scenario.LoadEngine, Scenario.LoadModel, $"{Scenario.Concurrency} {Scenario.SignalWorkers}");

    /// <summary>Why the result gives no value; null when it does.</summary>
    public string? Flaw =>
        Scenario.Verdict.Outcome != VerdictOutcome.Passed
            ? string.Join(" ", Scenario.Verdict.Reasons.Prepend($"{Scenario.Verdict.Outcome}.".ToLowerInvariant()))
        : Scenario.Generator?.Health == GeneratorState.Bound ? "the generator was the limit"
        : Scenario.Ledger?.Balanced == false ? "the ledger does not balance"
        : Scenario.Validity?.Valid == false ? "not valid"
        : null;

    /// <summary>Whether the run is of the build whose commit begins so.</summary>
    public bool IsOf(string reference) => Begins(Run.Commit, reference);

    public static bool Begins(string? commit, string reference) => commit?.StartsWith(reference, StringComparison.OrdinalIgnoreCase) == true;

    /// <summary>The results of runs in order of time.</summary>
    public static IReadOnlyList<HistoryEntry> Of(IEnumerable<RunResult> ordered, TimeSpan night)
    {
        var entries = new List<HistoryEntry>();
        var (number, began) = (0, DateTimeOffset.MinValue);
        foreach (var run in ordered)
        {
            if (run.CreatedUtc - began >= night)
            {
                (number, began) = (number + 1, run.CreatedUtc);
            }

            entries.AddRange(run.Scenarios.Select(scenario => new HistoryEntry(run, scenario, number)));
        }

        return entries;
    }
}
