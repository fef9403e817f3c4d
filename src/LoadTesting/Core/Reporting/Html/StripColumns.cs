namespace LoadTesting.Core.Reporting.Html;

/// <summary>Groups the intervals of a timeline into columns that are wide enough to see.</summary>
internal static class StripColumns
{
    private const int MaxColumns = 120;
    private const int MaxColumnsOfMany = 40;
    private const int ManyScenarios = 20;

    /// <summary>
    /// Intervals per column: more on a page of many scenarios, so that the page is small enough for a mail.
    /// </summary>
    public static int PointsPerColumn(int points, int scenarios)
    {
        var most = IsMany(scenarios) ? MaxColumnsOfMany : MaxColumns;
        return (points + most - 1) / most;
    }

    /// <summary>Whether a page has so many scenarios that details are left out.</summary>
    public static bool IsMany(int scenarios) => scenarios > ManyScenarios;
}
