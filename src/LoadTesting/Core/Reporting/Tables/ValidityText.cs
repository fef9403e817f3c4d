namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Validity checks as text.</summary>
internal static class ValidityText
{
    private const double Mebibyte = 1 << 20;

    /// <summary>Checks passed, in flight by service and by client, their difference, warm-up, vetoes.</summary>
    public static string[] Cells(ValidityResult validity) =>
    [
        Passed(validity), Figures.Counter(validity.LittlesLaw?.ServiceInFlight),
        Figures.Counter(validity.LittlesLaw?.ClientInFlight),
        Figures.Percent(validity.LittlesLaw?.RelativeError), WarmUp(validity.WarmUp),
        Figures.Count(validity.Vetoes.Count),
    ];

    public static IEnumerable<string> FailedChecks(ValidityResult validity) =>
        validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed)
            .Select(check => $"{check.Name}: {check.Reason}");

    public static string Sentence(LeakResult leak) =>
        $"{Resource(leak)}: {Amount(leak, leak.Start)}, growth {Amount(leak, leak.Growth)} (99 %: "
        + $"{Amount(leak, leak.GrowthLow)} to {Amount(leak, leak.GrowthHigh)}), allowed {Amount(leak, leak.Limit)}";

    public static string Outcome(CheckOutcome outcome) => outcome switch
    {
        CheckOutcome.Passed => "passed",
        CheckOutcome.Failed => "failed",
        _ => "not made",
    };

    public static string Resource(LeakResult leak) => $"{leak.Name}, {(leak.Unit == "bytes" ? "MiB" : leak.Unit)}";

    public static string Amount(LeakResult leak, double value) =>
        Figures.Counter(leak.Unit == "bytes" ? Math.Round(value / Mebibyte, 2) : Math.Round(value, 3));

    /// <summary>Checks that passed, of those that could be made.</summary>
    private static string Passed(ValidityResult validity)
    {
        var made = validity.Checks.Where(check => check.Outcome != CheckOutcome.NotApplicable).ToList();
        return $"{made.Count(check => check.Outcome == CheckOutcome.Passed)} of {made.Count}";
    }

    private static string WarmUp(WarmUpResult? warmUp) => warmUp switch
    {
        null => Figures.Absent,
        { Steady: false } => "not settled",
        _ => Figures.Percent((double)warmUp.CutCompletions / warmUp.Completions),
    };
}
