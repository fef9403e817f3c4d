using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Checks as people read them.</summary>
internal static class ValidityWords
{
    private const double Mebibyte = 1 << 20;

    /// <summary>Checks that passed, of those that could be made.</summary>
    public static string Passed(ValidityResult validity)
    {
        var made = validity.Checks.Where(check => check.Outcome != CheckOutcome.NotApplicable).ToList();
        return $"{made.Count(check => check.Outcome == CheckOutcome.Passed)} of {made.Count}";
    }

    public static string WarmUp(WarmUpResult? warmUp) => warmUp switch
    {
        null => Figures.Absent,
        { Steady: false } => "not settled",
        _ => Figures.Percent((double)warmUp.CutCompletions / warmUp.Completions),
    };

    public static string Outcome(CheckOutcome outcome) => outcome switch
    {
        CheckOutcome.Passed => "passed",
        CheckOutcome.Failed => "failed",
        _ => "not made",
    };

    public static string Resource(LeakResult leak) => $"{leak.Name}, {(leak.Unit == "bytes" ? "MiB" : leak.Unit)}";

    public static string Amount(LeakResult leak, double value) => Figures.Counter(leak.Unit == "bytes" ? Math.Round(value / Mebibyte, 2) : Math.Round(value, 3));
}
