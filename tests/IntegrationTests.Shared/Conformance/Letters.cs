using Workflow.Contracts.DeadLetters;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Poison and its dead letters.</summary>
internal static class Letters
{
    /// <summary>Input of an instance on key <c>p</c> that a store can be made to refuse.</summary>
    public const string Poisoned = """{ "id": "p", "note": "poison" }""";

    public static bool IsPoison(InstanceRow row) => row.Body.Contains("poison", StringComparison.Ordinal);

    /// <summary>The open letters.</summary>
    public static async Task<IReadOnlyList<DeadLetter>> LettersAsync(this EngineSession engine) =>
        (await engine.Engine.ListDeadLettersAsync(new(), Cancel)).Items;

    /// <summary>Waits for the given number of open letters and returns the newest.</summary>
    public static async Task<DeadLetter> UntilLetterAsync(this EngineSession engine, int count = 1)
    {
        var letters = await Eventually.BecomesAsync(
            () => engine.LettersAsync(),
            found => found.Count >= count,
            found => $"{count} dead letters; there are {found.Count}");
        return letters[^1];
    }

    /// <summary>Where every signal went: taken, given up, buffered, or in a dead letter.</summary>
    public static void AssertSignalsAreAccountedFor(this EngineSession engine, int accepted, int dead)
    {
        var s = engine.Engine.Statistics;
        Assert.Equal((accepted, dead), (s.Signals, s.DeadSignals));
        Assert.Equal(s.Signals, s.SignalsConsumed + s.SignalsExpired + s.BufferedSignals + s.DeadSignals);
    }
}
