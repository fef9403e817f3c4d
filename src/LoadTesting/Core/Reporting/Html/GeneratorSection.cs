using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Whether the generator itself was the limit, with the evidence.</summary>
internal static class GeneratorSection
{
    private static readonly ReportColumn[] Columns =
    [
        Text("Scenario"), Text("Health"), new("Achieved rate"), new("Schedule lag p99", "ms"), new("Lag share"),
        new("Dropped"),
        new("CPU per core"), new("GC pause"), new("Pool queue", "items"), new("Pool delay p99", "ms"),
        new("Jitter max", "ms"),
    ];

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A generator that cannot keep up measures itself. Where the health is bound the "
                + "scenario is inconclusive, and no "
            + "figure of it counts.");
        html.OpenTable("Health of the load generator", Columns);
        foreach (var scenario in run.Scenarios)
        {
            if (scenario.Generator is { } generator)
            {
                Row(html, scenario.Name, generator);
            }
            else
            {
                html.Open("tr").RowHeader(scenario.Name).Cell("not recorded").Open("td", ("colspan", "9")).Close("td")
                    .Close("tr");
            }
        }

        html.CloseTable();
    }

    private static void Row(HtmlWriter html, string name, GeneratorResult generator)
    {
        var healthy = generator.Health == GeneratorState.Healthy;
        html.Open("tr").RowHeader(name).Open("td").Badge(Figures.Word(generator.Health), healthy ? "good" : "unsure")
            .Close("td");
        html.Number(Figures.Percent(generator.AchievedRatio)).Number(Figures.Ms(generator.ScheduleLagP99Ms));
        html.Number(Figures.Percent(generator.ScheduleLagShare)).Number(Figures.Count(generator.Dropped));
        html.Number(Figures.Percent(generator.CpuShare)).Number(Figures.Percent(generator.GcPauseShare));
        html.Number(Figures.Count(generator.ThreadPoolQueueMax)).Number(Figures.Ms(generator.PoolDelayP99Ms));
        html.Number(Figures.Ms(generator.JitterMaxMs)).Close("tr");
        if (generator.Pool == PoolState.StarvedBySystem)
        {
            html.DetailRow(
                Columns.Length,
                "The system, in the generator's own process, kept work waiting for a thread: the delay is its own.",
                "note");
        }

        if (generator.StopReason is { } reason)
        {
            html.DetailRow(Columns.Length, $"Stopped before its time: {reason}", "unsure");
        }

        foreach (var evidence in generator.Evidence)
        {
            html.DetailRow(Columns.Length, evidence, healthy ? "note" : "unsure");
        }
    }
}
