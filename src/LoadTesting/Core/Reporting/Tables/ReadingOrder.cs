namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Sorts scenarios for reading; a result file keeps the order in which they ended.</summary>
internal static partial class ReadingOrder
{
    private const int Digits = 9;

    /// <summary>By name, with numbers by value: c4 comes before c16. Repetitions keep their order.</summary>
    public static RunResult InReadingOrder(this RunResult run) => run with
    {
        Scenarios = [.. run.Scenarios.OrderBy(scenario => Key(scenario.Name), StringComparer.Ordinal)],
    };

    private static string Key(string name) => Number().Replace(name, number => number.Value.PadLeft(Digits, '0'));

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Number();
}
