using System.Globalization;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>One of several parts that follow one another: a bar that begins where the part before it ends.</summary>
internal static class WaterfallStrip
{
    private const double Width = 1000;

    // Narrower than this a bar could not be seen.
    private const double Least = 4;

    /// <summary>Draws a part.</summary>
    /// <param name="html">Where to.</param>
    /// <param name="beforeMs">What the parts before it take together.</param>
    /// <param name="partMs">What it takes.</param>
    /// <param name="wholeMs">What all take together.</param>
    public static void Write(HtmlWriter html, double beforeMs, double partMs, double wholeMs)
    {
        html.Open("td", ("class", "strip"));
        if (wholeMs > 0)
        {
            var width = Math.Clamp(partMs / wholeMs * Width, Least, Width);
            var x = Math.Min(beforeMs / wholeMs * Width, Width - width);
            html.Open(
                "svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("role", "img"),
                ("aria-label", $"{Figures.Ms(partMs)} ms after {Figures.Ms(beforeMs)} of {Figures.Ms(wholeMs)} ms"));
            html.Open("rect", ("class", "to-max"), ("x", "0"), ("y", "5"), ("width", Number(x)), ("height", "2")).Close("rect");
            html.Open("rect", ("class", "to-p50"), ("x", Number(x)), ("y", "1"), ("width", Number(width)), ("height", "10")).Close("rect");
            html.Close("svg");
        }

        html.Close("td");
    }

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
