namespace LoadTesting.Core.Results.Merging;

/// <summary>Merges validity: of each check the worst of the runs. What was fitted to a single run is with that run.</summary>
internal static class ValidityMerge
{
    public static ValidityResult? Of(IReadOnlyList<MergeInput> inputs)
    {
        var parts = inputs.Select(input => input.Scenario.Validity).OfType<ValidityResult>().ToList();
        return parts.Count < inputs.Count ? null : new ValidityResult
        {
            Checks = Worst(parts.SelectMany(part => part.Checks)),
            Environment = Worst(parts.SelectMany(part => part.Environment)),
            // The only word of it that speaks against a baseline.
            WarmUp = parts.Select(part => part.WarmUp).FirstOrDefault(warmUp => warmUp is { Steady: false }),
        };
    }

    private static List<CheckResult> Worst(IEnumerable<CheckResult> checks) =>
        [.. checks.GroupBy(check => check.Name).Select(runs => runs.OrderByDescending(Severity).ThenByDescending(check => check.Value).First())];

    private static int Severity(CheckResult check) => check.Outcome switch
    {
        CheckOutcome.Failed => 2,
        CheckOutcome.NotApplicable => 1,
        _ => 0,
    };
}
