namespace UnitTests.HouseStyle;

internal static class Rule
{
    /// <summary>Fails with every violation on a line of its own: an assertion on a collection would show five.</summary>
    public static void Holds(IEnumerable<string> violations)
    {
        var all = violations.ToList();
        Assert.True(all.Count == 0, $"{all.Count} violation(s):{Environment.NewLine}{string.Join(Environment.NewLine, all)}");
    }
}

/// <summary>What a rule does not hold for, each with its reason. There is no other place for exceptions.</summary>
internal static class Exemptions
{
    /// <summary>Published results quote the words of the build that measured them: they are evidence, and nobody edits them.</summary>
    private static readonly string[] PublishedResults = ["fixtures/baselines/"];

    /// <summary>A schema file is never edited.</summary>
    private static readonly string[] OldWords = ["src/Payments/Service/Stores/PostgreSql/Schema/00"];

    /// <summary>The public names of NBomber, which are not ours to change.</summary>
    private static readonly string[] NamesOfNBomber = ["src/LoadTesting/Compatibility/", "tests/CompatibilityTests/"];

    /// <summary>JSON and SQL in texts, which the code reads as one.</summary>
    private static readonly string[] WideTexts = ["tests/"];

    /// <summary>Here the words are named so that they can be found.</summary>
    private const string WordList = "tests/UnitTests/HouseStyle/WordTests.cs";

    public static bool MayHaveOtherWords(string file) =>
        file == WordList
        || PublishedResults.Concat(OldWords).Concat(NamesOfNBomber).Any(start => file.StartsWith(start, StringComparison.Ordinal));

    public static bool MayHoldWideText(string file, string line) =>
        WideTexts.Any(start => file.StartsWith(start, StringComparison.Ordinal))
        && (line.Contains('"', StringComparison.Ordinal) || line.Contains("select ", StringComparison.OrdinalIgnoreCase));
}
