using LoadTesting.Core.Http.Sweep;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A sweep over numbers of workers as one page: two charts and the table behind them.</summary>
public static class SweepHtml
{
    private const int Colours = 6;

    public static string Render(SweepResult result)
    {
        var document = ReportDocument.Of(result);
        var html = new HtmlWriter().OpenPage(document.Title);
        HtmlDocument.Header(html, document);
        html.Open("div", ("class", "charts"));
        Plot(html, result, "Requests per second by workers", "requests/s", step => step.RequestsPerSecond);
        Plot(html, result, "p99 by workers", "ms", step => step.Median(sample => sample.P99Ms));
        html.Close("div");
        foreach (var table in document.Tables)
        {
            html.OpenSection("table", table.Title);
            HtmlDocument.Write(html, table);
            html.CloseSection();
        }

        return html.ClosePage().ToString();
    }

    private static void Plot(
        HtmlWriter html, SweepResult result, string caption, string unit, Func<SweepStep, double?> figure)
    {
        var series = result.Options.Clients
            .Select((client, index) =>
                new ChartSeries($"c{index % Colours}", client.Name, [.. Points(result, client.Name, figure)],
                    IsLine: true))
            .Where(one => one.Points.Count > 0)
            .ToList();
        if (series.Count > 0)
        {
            var workers = ChartAxis.Logarithmic("workers", result.Options.Workers.Min(), result.Options.Workers.Max());
            var values = ChartAxis.FromZero(unit, series.Max(one => one.Points.Max(point => point.Y)));
            new Chart(caption, workers, values, series)
            {
                Description = $"{caption}: {string.Join(", ", series.Select(one => one.Name))}",
            }.Write(html);
        }
    }

    private static IEnumerable<(double X, double Y, string? Description)> Points(
        SweepResult result, string client, Func<SweepStep, double?> figure) => result.Steps
        .Where(step => step.Client == client)
        .OrderBy(step => step.Workers)
        .Select(step => (Step: step, Value: figure(step)))
        .Where(point => point.Value is not null)
        .Select(point => ((double)point.Step.Workers, point.Value!.Value, (string?)null));
}
