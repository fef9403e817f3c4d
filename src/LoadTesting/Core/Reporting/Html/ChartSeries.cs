namespace LoadTesting.Core.Reporting.Html;

/// <summary>What is drawn in one colour.</summary>
/// <param name="Style">Class of the style sheet.</param>
/// <param name="Name">Its name in the key; null leaves it out there.</param>
/// <param name="Points">
/// In the order in which a line joins them; the description of a point is shown when the pointer rests on its dot.
/// </param>
/// <param name="IsLine">Joined by a line, or each a dot.</param>
internal sealed record ChartSeries(
    string Style, string? Name, IReadOnlyList<(double X, double Y, string? Description)> Points, bool IsLine)
{
    /// <summary>The short name at the end of its line; the name if null.</summary>
    public string? Label { get; init; }
}
