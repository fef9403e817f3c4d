using System.Text.RegularExpressions;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The order in which people look things up; a result file keeps the order in which the scenarios ended.</summary>
internal static partial class ReadingOrder
{
    private const int Digits = 9;

    /// <summary>By name, its numbers by their value: c4 stands before c16. Repetitions stay in their order.</summary>
    public static RunResult InReadingOrder(this RunResult run) => run with
    {
        Scenarios = [.. run.Scenarios.OrderBy(scenario => Key(scenario.Name), StringComparer.Ordinal)],
    };

    private static string Key(string name) => Number().Replace(name, number => number.Value.PadLeft(Digits, '0'));

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Number();
}
