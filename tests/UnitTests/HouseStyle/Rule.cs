namespace UnitTests.HouseStyle;

internal static class Rule
{
    /// <summary>Fails with every violation on its own line. An assertion on a collection would show five.</summary>
    public static void Holds(IEnumerable<string> violations)
    {
        var all = violations.ToList();
        Assert.True(
            all.Count == 0, $"{all.Count} violation(s):{Environment.NewLine}{string.Join(Environment.NewLine, all)}");
    }
}
