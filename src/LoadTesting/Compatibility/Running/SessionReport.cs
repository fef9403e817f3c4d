using System.Data;
using System.Net;
using LoadTesting.Contracts.Stats;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Markdown;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>
/// What a session's reports say: the same in each format but for CSV, which has a row for each scenario and step.
/// </summary>
internal sealed class SessionReport
{
    private const string WholeIteration = "global information";

    private static readonly string[] s_latency =
        ["step", "count", "RPS", "min ms", "mean ms", "50 %", "75 %", "95 %", "99 %", "max ms", "std dev", "mean kB",
            "all MB"];

    private static readonly string[] s_csv =
    [
        "test_suite", "test_name", "scenario", "duration", "step_name", "request_count", "ok", "failed", "rps", "min",
        "mean", "max",
        "50_percent", "75_percent", "95_percent", "99_percent", "std_dev", "data_transfer_min_kb",
        "data_transfer_mean_kb",
        "data_transfer_max_kb", "data_transfer_all_mb",
    ];

    private readonly NodeStats _stats;
    private readonly ScenarioStats[] _scenarios;
    private readonly Section[] _sections;

    public SessionReport(NodeStats stats, ScenarioStats[] scenarios, (string Source, string Hint)[] advice)
    {
        (_stats, _scenarios) = (stats, scenarios);
        _sections =
        [
            Session(stats),
            .. scenarios.Select(scenario => Scenario(
                scenario, stats.Measured.Scenarios.FirstOrDefault(measured => measured.Name == scenario.ScenarioName))),
            .. Thresholds(stats.Thresholds),
            .. stats.PluginStats.SelectMany(set => set.Tables.Cast<DataTable>()).Select(Plugin),
            .. Advice(advice),
        ];
        _sections = [.. _sections.Select(section => section.Visible())];
    }

    public string Render(ReportFormat format) => format switch
    {
        ReportFormat.Txt => Text(),
        ReportFormat.Md => Markdown(),
        ReportFormat.Html => Html(),
        ReportFormat.Csv => Csv(),
        _ => throw new ArgumentOutOfRangeException(nameof(format), format, $"There is no report format {format}."),
    };

    private static Section Session(NodeStats stats)
    {
        var health = stats.Measured.Health.Figures;
        return new Section(
            "session",
            [
                $"test suite: {stats.TestInfo.TestSuite}",
                $"test name: {stats.TestInfo.TestName}",
                $"session id: {stats.TestInfo.SessionId}",
                Invariant($"duration: {stats.Duration}"),
                $"machine: {stats.NodeInfo.CoresCount} cores, {stats.NodeInfo.OS}, {stats.NodeInfo.DotNetVersion}",
                .. stats.Measured.StopReason is { } reason ? [$"stopped early: {reason}"] : Array.Empty<string>(),
                health.Health == BuiltIn.Health.GeneratorState.Healthy
                    ? "generator: healthy, it was not the limit"
                    : "generator: BOUND, so the figures may be its own and not the system's",
                .. health.Evidence,
            ],
            []);
    }

    private static Section Scenario(ScenarioStats stats, BuiltIn.ScenarioStats measured)
    {
        string[] facts = measured is null
            ? []
            :
            [
                $"load: {string.Join("; ", measured.Simulations)}",
                Invariant($"duration: {measured.Duration}, planned {(measured.PlannedDuration is { } planned ? planned : "-")}"),
                Invariant($"iterations: {measured.Requested} asked for, {measured.Started} started, {measured.Dropped} dropped, ")
                    + Invariant($"{measured.Unfinished} unfinished, {stats.Ok.Request.Count} ok, {stats.Fail.Request.Count} failed"),
                measured.Model == BuiltIn.LoadModel.Open
                    ? Invariant($"latency: from the intended start; starts were {Ms(measured.ScheduleLag, 99)} ms late (p99)")
                    : "latency: from the actual start; a closed load sends nothing while it waits, so look at the "
                        + "stalls",
                Invariant($"stalls: {measured.Stalls.Count}, {measured.Stalls.Sum(stall => stall.DurationMs):0} ms in all"),
                .. measured.StopReason is { } reason ? [$"stopped early: {reason}"] : Array.Empty<string>(),
            ];
        return new Section(
            $"scenario {stats.ScenarioName}",
            facts,
            [
                Latencies("ok", stats, step => step.Ok),
                .. stats.AllFailCount > 0 ? [Latencies("failed", stats, step => step.Fail)] : Array.Empty<Table>(),
                .. StatusCodes(stats),
            ]);
    }

    private static Table Latencies(string title, ScenarioStats stats, Func<StepStats, MeasurementStats> side) => new(
        title,
        s_latency,
        [
            .. WithWhole(stats).Select(step =>
            {
                var (of, latency) = (side(step), side(step).Latency);
                return (string[])
                [
                    step.StepName, of.Request.Count.ToString(CultureInfo.InvariantCulture), Number(of.Request.RPS),
                    Number(latency.MinMs),
                    Number(latency.MeanMs), Number(latency.Percent50), Number(latency.Percent75),
                    Number(latency.Percent95),
                    Number(latency.Percent99), Number(latency.MaxMs), Number(latency.StdDev),
                    Number(InUnits(of.DataTransfer.MeanBytes, 1024)),
                    Number(InUnits(of.DataTransfer.AllBytes, 1024 * 1024)),
                ];
            }),
        ]);

    private static IEnumerable<Table> StatusCodes(ScenarioStats stats)
    {
        var codes = stats.Ok.StatusCodes.Concat(stats.Fail.StatusCodes).ToArray();
        if (codes.Length > 0)
        {
            yield return new Table(
                "status codes",
                ["status code", "count", "%", "message"],
                [.. codes.Select(code => (string[])
                    [
                        code.StatusCode + (code.IsError ? " (failed)" : ""),
                        code.Count.ToString(CultureInfo.InvariantCulture),
                        code.Percent.ToString(CultureInfo.InvariantCulture), code.Message,
                    ])]);
        }
    }

    private static IEnumerable<Section> Thresholds(ThresholdResult[] results)
    {
        if (results.Length > 0)
        {
            yield return new Section("thresholds", [], [new Table(
                "",
                ["scenario", "step", "threshold", "outcome", "errors", "why"],
                [.. results.Select(result => (string[])
                    [
                        result.ScenarioName, result.StepName, result.CheckExpression,
                        result.IsFailed ? "FAILED" : "passed",
                        result.ErrorCount.ToString(CultureInfo.InvariantCulture), result.ExceptionMsg,
                    ])])]);
        }
    }

    private static Section Plugin(DataTable table)
    {
        var columns = table.Columns.Cast<DataColumn>().ToArray();
        return new Section($"plugin {table.TableName}", [], [new Table(
            "",
            [.. columns.Select(column => column.Caption)],
            [.. table.Rows.Cast<DataRow>().Select(row => columns.Select(column =>
                Convert.ToString(row[column], CultureInfo.InvariantCulture) ?? "").ToArray())])]);
    }

    private static IEnumerable<Section> Advice((string Source, string Hint)[] advice)
    {
        if (advice.Length > 0)
        {
            yield return new Section("advice", [], [new Table(
                "", ["source", "advice"], [.. advice.Select(one => (string[])[one.Source, one.Hint])])]);
        }
    }

    private string Text()
    {
        var text = new StringBuilder();
        foreach (var section in _sections)
        {
            text.AppendLine().AppendLine(section.Title).AppendLine(new string('=', section.Title.Length));
            text.Append(string.Concat(section.Facts.Select(fact => $"{fact}{Environment.NewLine}")));
            foreach (var table in section.Tables)
            {
                var widths = table.Header
                    .Select((name, column) => table.Rows.Select(row => row[column].Length).Append(name.Length).Max());
                var width = widths.ToArray();
                text.AppendLine();
                if (table.Title.Length > 0)
                {
                    text.AppendLine(table.Title);
                }

                foreach (var row in table.Rows.Prepend([.. width.Select(columns => new string('-', columns))])
                    .Prepend(table.Header))
                {
                    text.AppendLine(
                        string.Join("  ", row.Select((cell, column) => cell.PadRight(width[column]))).TrimEnd());
                }
            }
        }

        return text.ToString();
    }

    private string Markdown()
    {
        var text = new StringBuilder();
        foreach (var section in _sections)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"## {MarkdownText.Plain(section.Title)}").AppendLine();
            text.Append(
                string.Concat(section.Facts.Select(fact => $"- {MarkdownText.Plain(fact)}{Environment.NewLine}")));
            foreach (var table in section.Tables)
            {
                text.AppendLine().AppendLine(MarkdownText.Plain(table.Title))
                    .AppendLine(table.Title.Length > 0 ? "" : null);
                foreach (var row in table.Rows.Prepend([.. table.Header.Select(_ => "---")]).Prepend(table.Header))
                {
                    text.AppendLine(
                        CultureInfo.InvariantCulture, $"| {string.Join(" | ", row.Select(MarkdownText.Plain))} |");
                }
            }

            text.AppendLine();
        }

        return text.ToString();
    }

    private string Html()
    {
        static string Coded(string text) => WebUtility.HtmlEncode(text);
        var html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
            .Append(Coded(VisibleText.Line(_stats.TestInfo.TestName)))
            .Append("</title><style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}")
            .Append("td,th{border:1px solid #ccc;padding:.3em "
                + ".6em;text-align:right}td:first-child,th:first-child{text-align:left}")
            .Append("</style></head><body>\n");
        foreach (var section in _sections)
        {
            html.Append(CultureInfo.InvariantCulture, $"<h2>{Coded(section.Title)}</h2>\n<ul>");
            html.Append(string.Concat(section.Facts.Select(fact => $"<li>{Coded(fact)}</li>"))).Append("</ul>\n");
            foreach (var table in section.Tables)
            {
                html.Append(CultureInfo.InvariantCulture, $"<table><caption>{Coded(table.Title)}</caption><tr>");
                html.AppendJoin("", table.Header.Select(name => $"<th>{Coded(name)}</th>")).Append("</tr>\n");
                foreach (var row in table.Rows)
                {
                    html.Append("<tr>").AppendJoin("", row.Select(cell => $"<td>{Coded(cell)}</td>")).Append("</tr>\n");
                }

                html.Append("</table>\n");
            }
        }

        return html.Append("</body></html>\n").ToString();
    }

    private string Csv()
    {
        var text = new StringBuilder().AppendLine(string.Join(",", s_csv));
        foreach (var (scenario, step) in _scenarios.SelectMany(
            scenario => WithWhole(scenario).Select(step => (scenario, step))))
        {
            var (latency, data) = (step.Ok.Latency, step.Ok.DataTransfer);
            object[] values =
            [
                _stats.TestInfo.TestSuite, _stats.TestInfo.TestName, scenario.ScenarioName, scenario.Duration,
                step.StepName,
                step.Ok.Request.Count + step.Fail.Request.Count, step.Ok.Request.Count, step.Fail.Request.Count,
                step.Ok.Request.RPS,
                latency.MinMs, latency.MeanMs, latency.MaxMs, latency.Percent50, latency.Percent75, latency.Percent95,
                latency.Percent99,
                latency.StdDev, InUnits(data.MinBytes, 1024), InUnits(data.MeanBytes, 1024),
                InUnits(data.MaxBytes, 1024),
                InUnits(data.AllBytes, 1024 * 1024),
            ];
            text.AppendLine(string.Join(
                ",", values.Select(
                    value => Quoted(VisibleText.Line(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "")))));
        }

        return text.ToString();
    }

    private static IEnumerable<StepStats> WithWhole(ScenarioStats scenario) => scenario.StepStats.Prepend(
        new StepStats { StepName = WholeIteration, Ok = scenario.Ok, Fail = scenario.Fail });

    private static string Quoted(string value) => value.AsSpan().IndexOfAny(",\"") < 0
        ? value
        : $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private static string Ms(BuiltIn.Histograms.LatencyHistogram histogram, double percentile) =>
        histogram.Count == 0 ? "-" : Number(histogram.PercentileMs(percentile));

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private static double InUnits(long bytes, double unit) => bytes / unit;

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private sealed record Section(string Title, IReadOnlyList<string> Facts, IReadOnlyList<Table> Tables)
    {
        /// <summary>With every text in one line, and nothing in it that acts on a terminal or a page.</summary>
        public Section Visible() => new(
            VisibleText.Line(Title), [.. Facts.Select(VisibleText.Line)], [.. Tables.Select(table => new Table(
                VisibleText.Line(table.Title), Lines(table.Header), [.. table.Rows.Select(Lines)]))]);

        private static string[] Lines(string[] texts) => [.. texts.Select(text => VisibleText.Line(text ?? ""))];
    }

    private sealed record Table(string Title, string[] Header, IReadOnlyList<string[]> Rows);
}
