namespace LoadTesting.Core.Reporting.Html;

/// <summary>A place on the x axis with a word, such as a knee.</summary>
/// <param name="X">Where.</param>
/// <param name="Label">The word.</param>
internal sealed record ChartMark(double X, string Label);
