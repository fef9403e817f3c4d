namespace UnitTests.HouseStyle;

/// <summary>What a rule does not hold for, each with its reason. There is no other place for exceptions.</summary>
internal static class Exemptions
{
    /// <summary>
    /// The engine's core and what the stores write are to be rebuilt by transition and commit group, which redraws exactly these lines;
    /// until then their types may be longer.
    /// </summary>
    private static readonly string[] LongTypes = ["src/Workflow/Engine/", "src/Workflow/Stores/"];

    public static bool MayHaveLongTypes(string file) => LongTypes.Any(start => file.StartsWith(start, StringComparison.Ordinal));
}
