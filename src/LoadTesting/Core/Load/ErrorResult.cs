namespace LoadTesting.Core.Load;

/// <summary>Operations that failed with one code and message.</summary>
/// <param name="Code">Status code; empty if there was none.</param>
/// <param name="Message">The message; messages beyond the limit count together under one that says so.</param>
/// <param name="Count">Number of failures; at least 1.</param>
public sealed record ErrorResult(string Code, string Message, long Count)
{
    private const int LongestName = 80;

    /// <summary>The sum of several results by code and message, the most frequent first.</summary>
    public static IReadOnlyList<ErrorResult> SumOf(IEnumerable<ErrorResult> errors) =>
    [
        .. errors.GroupBy(error => (error.Code, error.Message))
            .Select(same => new ErrorResult(same.Key.Code, same.Key.Message, same.Sum(error => error.Count)))
            .OrderByDescending(error => error.Count),
    ];

    /// <summary>Code and message, shortened, for <see cref="TimelinePoint.Errors"/>.</summary>
    internal string Name
    {
        get
        {
            var name = $"{Code} {Message}".Trim();
            return name.Length == 0
                ? "without code or message" : name.Length <= LongestName ? name : name[..LongestName] + "…";
        }
    }
}
