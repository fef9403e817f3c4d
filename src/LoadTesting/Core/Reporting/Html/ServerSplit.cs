using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The time of an operation by the server's own timestamps.</summary>
internal static class ServerSplit
{
    public static void Write(HtmlWriter html, ScenarioResult scenario)
    {
        if (scenario.ServerSplit is not { Count: > 0 } split)
        {
            return;
        }

        var whole = split.Values.Sum(latency => latency.AverageMs ?? 0);
        html.OpenTable(
            ReportText.ServerTime,
            [Text("Part"), .. Latency, Text($"One after the other, {Figures.Ms(whole)} ms on average")]);
        var before = 0.0;
        foreach (var (part, latency) in split)
        {
            html.Open("tr").RowHeader(part);
            html.Numbers(Figures.Latency(latency));
            WaterfallStrip.Write(html, before, latency.AverageMs ?? 0, whole);
            html.Close("tr");
            before += latency.AverageMs ?? 0;
        }

        html.CloseTable();
    }
}

/// <summary>One of several parts that follow one another: a bar that begins where the part before it ends.</summary>
internal static class WaterfallStrip
{
    private const double Width = 1000;

    // The narrowest visible bar.
    private const double MinWidth = 4;

    /// <param name="html">Where to.</param>
    /// <param name="beforeMs">Total duration of the parts before it.</param>
    /// <param name="partMs">Duration of this part.</param>
    /// <param name="wholeMs">Total duration of all parts.</param>
    public static void Write(HtmlWriter html, double beforeMs, double partMs, double wholeMs)
    {
        html.Open("td", ("class", "strip"));
        if (wholeMs > 0)
        {
            var width = Math.Clamp(partMs / wholeMs * Width, MinWidth, Width);
            var x = Math.Min(beforeMs / wholeMs * Width, Width - width);
            html.Open(
                "svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("role", "img"),
                ("aria-label", $"{Figures.Ms(partMs)} ms after {Figures.Ms(beforeMs)} of {Figures.Ms(wholeMs)} ms"));
            html.Shape("rect", ("class", "to-max"), ("x", "0"), ("y", "5"), ("width", Number(x)), ("height", "2"));
            html.Shape(
                "rect", ("class", "to-p50"), ("x", Number(x)), ("y", "1"), ("width", Number(width)), ("height", "10"));
            html.Close("svg");
        }

        html.Close("td");
    }

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
