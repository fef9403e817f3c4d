namespace LoadTesting.Core.Results;

/// <summary>One check of a result, with what it found and what it allows.</summary>
/// <param name="Name">Name in camel case, e.g. <c>backlog</c>.</param>
/// <param name="Subject">What is wrong when it fails.</param>
/// <param name="Outcome">Passed, failed or not applicable.</param>
/// <param name="Value">What was found; null if it was not measured.</param>
/// <param name="Limit">The most that is allowed; null if it was not measured.</param>
/// <param name="Reason">What the value is, or why there is none, in a sentence with its unit.</param>
public sealed record CheckResult(
    string Name, CheckSubject Subject, CheckOutcome Outcome, double? Value, double? Limit, string Reason)
{
    /// <summary>A check that passes when the value is at most the limit. A value that is not a number fails.</summary>
    public static CheckResult AtMost(
        string name, CheckSubject subject, double value, double limit, FormattableString reason)
    {
        return new(name, subject, value <= limit ? CheckOutcome.Passed : CheckOutcome.Failed, Finite(value), limit,
            reason.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>A check that could not be made.</summary>
    public static CheckResult Not(string name, CheckSubject subject, string reason) =>
        new(name, subject, CheckOutcome.NotApplicable, null, null, reason);

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}
