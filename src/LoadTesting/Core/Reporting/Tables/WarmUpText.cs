namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Sentences about a warm-up, for reports and the verdict.</summary>
public static class WarmUpText
{
    private const string Where = "in the warm-up: ";

    /// <summary>Faults of its operations, a sentence each; empty if each completed once and none failed.</summary>
    public static IReadOnlyList<string> Account(WarmUpLoadResult warmUp)
    {
        return
        [
            .. warmUp.Completed == warmUp.Operations
                ? Array.Empty<string>()
                : [$"{Where}{Quantity.Of(warmUp.Completed, warmUp.Operations, "operation")} completed"],
            .. MustBeNone("lost", warmUp.Lost),
            .. MustBeNone("duplicate", warmUp.Duplicate),
            .. warmUp.Errors.Select(error => Where + TimelineText.Sentence(error)),
        ];
    }

    public static string Sentence(StallResult stall) => Where + TimelineText.Sentence(stall);

    /// <summary>Account and stalls, a sentence each.</summary>
    internal static IEnumerable<string> Sentences(WarmUpLoadResult warmUp) =>
        [.. Account(warmUp), .. warmUp.Stalls.Select(Sentence)];

    private static IEnumerable<string> MustBeNone(string name, long count) =>
        count == 0 ? [] : [$"{Where}{name} is {Figures.Count(count)} and must be 0"];
}
