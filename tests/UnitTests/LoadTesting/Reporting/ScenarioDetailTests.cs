using System.Xml.Linq;
using LoadTesting.Core.Reporting.Tables;
using static UnitTests.LoadTesting.Reporting.ReportPage;

namespace UnitTests.LoadTesting.Reporting;

public sealed class ScenarioDetailTests
{
    [Fact]
    public void Percentile_curves_are_drawn_beside_the_baseline()
    {
        var run = SampleRun.Create();
        var older = run with { RunId = "20260316T101500Z-0000000", CreatedUtc = run.CreatedUtc.AddDays(-1),
            Commit = "0000000aaaa" };

        var drawn = run.InReadingOrder().Scenarios.Where(scenario => scenario.Latency.N >= 20)
            .Select(scenario => scenario.Name).ToList();
        var charts = Details(HtmlReport.Render(run with { Capacity = [] }, [older]))
            .Where(detail => detail.Scenario.Descendants("figure").Any()).ToList();

        Assert.Equal(drawn.Order(), charts.Select(chart => chart.Name).Order());
        Assert.All(charts, chart =>
        {
            var whole = chart.Scenario.Descendants("figure").First();
            Assert.Equal(
                ["baseline 0000000, n 24", "this run, n 24", "95 % confidence"],
                Keys(whole).Select(key => key.Split(", different")[0]));
            Assert.Equal(["baseline", "this run"], whole.Descendants("text").Select(text => text.Value)
                .Where(text => text is "this run" or "baseline").Order());
            Assert.Equal(2, whole.Descendants("polyline").Count());
            Assert.Single(whole.Descendants("polygon"));
            Assert.DoesNotContain(whole.Descendants("text"), text => text.Value == "99.9");
        });
        Assert.Contains(Details(HtmlReport.Render(run)),
            detail => detail.Scenario.Descendants("figure").FirstOrDefault() is { } alone
            && Keys(alone)[0] == "this run, n 24");

        static List<string> Keys(XElement chart) => [.. chart.Descendants("span").Select(key => key.Value)];
    }

    [Fact]
    public void Report_says_whether_the_build_is_slower()
    {
        var run = SampleRun.Create();
        var scenario = Runs.Long(perSecond: 500, medianMs: 10);
        var now = run with { Scenarios = [scenario, Runs.Scenario(name: "new-thing")], Capacity = [] };
        var before =
            run with { CreatedUtc = run.CreatedUtc.AddDays(-1), Scenarios = [Runs.Long(perSecond: 1000, medianMs: 5)] };
        var other = before with { Environment = run.Environment with { CpuModel = "another" } };

        var slower = Page(before);
        Assert.EndsWith("; 1 of the 1 that can be compared is slower than the baseline.", Title(slower),
            StringComparison.Ordinal);
        Assert.Contains("1 scenario has no baseline. The machine was not quiet during 1 of the slower scenarios",
            slower.Value, StringComparison.Ordinal);
        var cell = slower.Descendants("td").First(cell => (string?)cell.Attribute("class") == "wide baseline");
        Assert.StartsWith("slowerrate -50.0 %, p95 +", cell.Value, StringComparison.Ordinal);
        Assert.Equal("-50.0 %", Table(slower, "Against the baseline").Descendants("tr").ElementAt(1).Elements().Last()
            .Value);
        Assert.EndsWith("; none of the 1 that can be compared is slower than the baseline.",
            Title(Page(before with { Scenarios = [scenario] })), StringComparison.Ordinal);
        Assert.Contains("1 scenario cannot be compared with its baseline: different ", Page(other).Value,
            StringComparison.Ordinal);
        Assert.Contains("No accepted baseline contains these scenarios.", Page().Value, StringComparison.Ordinal);
        Assert.Contains("No accepted baseline contains these scenarios.",
            Page(before with { CreatedUtc = run.CreatedUtc.AddDays(1) }).Value, StringComparison.Ordinal);

        XElement Page(params RunResult[] baselines) => Parse(HtmlReport.Render(now, baselines));
        static string Title(XElement page) => page.Descendants("h1").Single().Value;
    }

    [Fact]
    public void Phases_share_one_scale()
    {
        var run = SampleRun.Create() with { Capacity = [] };
        var scenario = run.Scenarios.Single(scenario => scenario.Name == "postgres-synthetic-external-resume-smoke");
        var starts = scenario.Phases.Keys.Where(phase => phase != "drainToIdle").ToDictionary(phase => phase, _ => 0.0);
        starts["signalPublish"] = 2.5;

        var (old, later) = (Bars(scenario), Bars(scenario with { PhaseStarts = starts }));

        Assert.Equal(6, old.Count);
        Assert.All(old, bar => Assert.Equal(0, bar.X));
        Assert.Equal(1000, old.Max(bar => bar.Width));
        Assert.Equal(
            ["start", "signalToCompletion", "signalToFirstCompletion", "signalPublish"],
            later.Skip(1).Select(bar => bar.Name));
        Assert.Equal(1000 * 2.5 / scenario.Latency.MaxMs!.Value, later[^1].X, 1.0);

        List<(string Name, double X, double Width)> Bars(ScenarioResult shown)
        {
            var detail = Details(HtmlReport.Render(run with { Scenarios = [shown] }))[0].Scenario;
            Assert.Equal(shown.PhaseStarts is null,
                detail.Value.Contains("The start of the phases was not recorded", StringComparison.Ordinal));
            var strips = Table(detail, "Phases").Descendants("td")
                .Where(cell => (string?)cell.Attribute("class") == "strip" && cell.HasElements);
            return [.. strips.Select(cell =>
                (cell.Parent!.Element("th")!.Value, (double)cell.Descendants("rect").First().Attribute("x")!,
                    (double)cell.Descendants("rect").First().Attribute("width")!))];
        }
    }

    [Fact]
    public void Charts_over_time_share_their_axis_and_mark_the_stalls()
    {
        var (run, scenario) = OverTime();

        var detail = Details(HtmlReport.Render(run with { Scenarios = [scenario] }))[0].Scenario;

        var strips =
            detail.Descendants("svg").Where(svg => svg.Parent!.Attribute("class")?.Value == "time-plot").ToList();
        Assert.Equal(
            ["Rate", "Latency", "Spread", "Errors", "Waiting", "Generator", "Processors", "Waits"],
            strips.Select(strip => strip.Attribute("aria-label")!.Value.Split(':')[0]));
        Assert.Equal(["0", "20", "40"], Marks(strips[0]));
        Assert.All(strips, strip => Assert.StartsWith("M0 ", Shapes(strip, "grid").Single(), StringComparison.Ordinal));
        Assert.Contains("operations per cell: 1", strips[2].Parent!.Parent!.Value, StringComparison.Ordinal);
        Assert.Single(strips.Select(strip => strip.Attribute("viewBox")!.Value).Distinct());
        Assert.All(strips, strip => Assert.Equal("M0.8 0H3.8V100H0.8z", Shapes(strip, "stalled").Single()));
        Assert.All(Shapes(strips[1], "curve"), path => Assert.Equal(2, path.Count(letter => letter == 'M')));
        Assert.Contains("completed 0 to 40", strips[0].Attribute("aria-label")!.Value, StringComparison.Ordinal);
        Assert.Equal("Errors: 503 too busy 0 to 7; timeout 0 to 2; operations failed 0 to 9",
            strips[3].Attribute("aria-label")!.Value);
        Assert.Contains("IO:WALSync", strips[^1].Attribute("aria-label")!.Value, StringComparison.Ordinal);
        Assert.Contains(detail.Descendants("td"), cell => cell.Value == "1,480.20");
        var figures = Table(detail, "Figures over time");
        Assert.Equal(9, figures.Element("tbody")!.Elements("tr").Count());

        static IEnumerable<string> Marks(XElement strip) => strip.Parent!.Elements("span").Select(label => label.Value);
    }

    [Fact]
    public void Strips_carry_the_value_of_every_place_for_the_pointer()
    {
        var (run, scenario) = OverTime();

        var strips = Details(HtmlReport.Render(run with { Scenarios = [scenario] }))[0].Scenario.Descendants("div")
            .Single(group => (string?)group.Attribute("class") == "over-time");

        Assert.Equal("1", strips.Attribute("data-step")!.Value);
        var values = strips.Descendants("span").Where(key => key.Attribute("data-v") is not null)
            .ToDictionary(key => key.Value, key => key.Attribute("data-v")!.Value);
        Assert.Equal("40*4,0,40*4", values["completed"]);
        Assert.Equal("5*4,,5*4", values["p50"]);
        Assert.Equal("0,1,2,3,4,5,6,7,8", values["in flight"]);
        Assert.Equal("0*5,7,0*3", values["503 too busy"]);
        Assert.Equal("0.2*9", values["schedule lag"]);
        Assert.Equal("4.47*4,,4.47*4", values["most frequent"]);
        Assert.Equal("4.52,,0*2,1840,", new StripLine("c0", "x", [4.5181, null, 0, 0.0002, 1840.4, null]).Packed());
    }

    [Theory]
    [InlineData(9_300, 12, "40*4,0,40*5", "40.00")] // 12 in 0.3 s are 40/s.
    [InlineData(9_004, 4, "40*4,0,40*4,43.8", "43.82")] // Of 4 ms alone they would be 1,000/s: 44 in 1.004 s.
    public void Partial_last_interval_is_drawn_with_its_own_rate(
        double durationMs, int completed, string expected, string inFigures)
    {
        var (run, scenario) = OverTime();
        var timeline = scenario.Timeline!;
        scenario = scenario with
        {
            DurationMs = durationMs,
            Timeline = timeline with
            {
                Points = [.. timeline.Points,
                    timeline.Points[^1] with { TMs = 9_000, Started = completed, Completed = completed }],
            },
        };

        var detail = Details(HtmlReport.Render(run with { Scenarios = [scenario] }))[0].Scenario;

        Assert.Equal(
            expected, detail.Descendants("span").First(key => key.Value == "completed").Attribute("data-v")!.Value);
        var figures = Table(detail, "Figures over time");
        Assert.Equal(
            [inFigures, inFigures], figures.Descendants("tr").Last().Elements("td").Take(2).Select(cell => cell.Value));
    }

    [Fact]
    public void Latency_by_rate_has_a_dot_per_interval()
    {
        var (run, scenario) = OverTime();
        var slower = scenario.Timeline!.Points.Select((point, second) => second == 7
            ? point with { Completed = 80, P95Ms = 123.4 }
            : point);
        scenario = scenario with { Timeline = scenario.Timeline with { Points = [.. slower] } };

        var dots = Figures(1).Single().Descendants("circle").ToList();

        Assert.Equal(8, dots.Count);
        Assert.Equal("123.40 ms at 80.00 per s, 7 s", dots[6].Value.Trim());
        Assert.All(dots.Where(dot => dot != dots[6]), dot =>
        {
            Assert.Contains("at 40.00 per s", dot.Value, StringComparison.Ordinal);
            Assert.InRange((double)dot.Attribute("cx")!, 46, (double)dots[6].Attribute("cx")! - 100);
            Assert.InRange((double)dot.Attribute("cy")!, (double)dots[6].Attribute("cy")! + 50, 206);
        });
        Assert.Empty(Figures(21));

        List<XElement> Figures(int scenarios) =>
        [
            .. Details(HtmlReport.Render(run with
                {
                    Scenarios =
                        [.. Enumerable.Range(1, scenarios).Select(number => scenario with { Name = $"{number}" })],
                }))
                .SelectMany(detail => detail.Scenario.Descendants("figure"))
                .Where(figure => figure.Element("figcaption")!.Value == "p95 by rate"),
        ];
    }

    [Fact]
    public void What_a_run_did_not_record_over_time_is_said_and_not_drawn()
    {
        var (run, scenario) = OverTime();
        var bare = scenario.Timeline!.Points.Select(point => point with
        {
            Latencies = null, ScheduleLagP99Ms = null, PoolDelayP99Ms = null, Cpu = null, Waits = null,
        });

        var old = Shown(scenario.Timeline with { Points = [.. bare] });
        var without = Shown(null);

        Assert.Contains(
            "Not recorded: spread of latencies (heat map), lateness of the generator, processors, waits.", old,
            StringComparison.Ordinal);
        Assert.Contains("Figures over time were not recorded.", without, StringComparison.Ordinal);

        string Shown(TimelineResult? timeline) =>
            Details(HtmlReport.Render(
                run with { Scenarios = [scenario with { Timeline = timeline }] }))[0].Scenario.Value;
    }

    [Fact]
    public void Heat_map_is_darker_where_more_completed()
    {
        long[][] columns = [[.. Cells((0, 1), (2, 99))], [.. Cells((0, 1))]];

        var shades = HeatShades.Draw(columns, first: 0, rows: 4, most: 99);

        Assert.Equal("M0 75H4V100H0z", shades[0]);
        Assert.Equal("M0 25H2V50H0z", shades[^1]);
        Assert.All(shades.Skip(1).SkipLast(1), Assert.Empty);

        static IEnumerable<long> Cells(params (int Bucket, long Count)[] cells) =>
            Enumerable.Range(0, CoarseLatencies.Count)
                .Select(bucket => cells.FirstOrDefault(cell => cell.Bucket == bucket).Count);
    }

    [Fact]
    public void Page_of_sixty_long_scenarios_is_under_40_kB_each()
    {
        var (run, scenario) = OverTime();
        var random = new Random(7);
        var points = Enumerable.Range(0, 600).Select(second => scenario.Timeline!.Points[second % 4] with
        {
            TMs = 1000 * second, Started = random.Next(180, 220), Completed = random.Next(150, 220),
            Failed = random.Next(3),
            P50Ms = 4 + random.NextDouble(), P95Ms = 8 + random.NextDouble(), P99Ms = 12 + (9 * random.NextDouble()),
            MaxMs = 30,
            Latencies = "30:" + string.Join(',', Enumerable.Range(0, 9).Select(_ => random.Next(0, 60))),
            Backlog = random.Next(9), ScheduleLagP99Ms = random.NextDouble(), PoolDelayP99Ms = random.NextDouble(),
            Cpu = new TimelineCpu(random.NextDouble(), random.NextDouble(), random.NextDouble(), random.NextDouble()),
            Waits = new Dictionary<string, double>
                { ["IO:WALSync"] = random.NextDouble(), ["CPU"] = random.NextDouble() },
        }).ToList();
        var long60 = Enumerable.Range(1, 60).Select(number => SampleRun.Scenario(
                "postgres", $"synthetic-external-resume-nightly-{number}", 3_000, 8, 5 + number, 388) with
            {
                Timeline = new TimelineResult { IntervalMs = 1000, Points = points }, DurationMs = 600_000,
            });
        run = run with { Scenarios = [.. long60] };

        var page = HtmlReport.Render(run, [run with { CreatedUtc = run.CreatedUtc.AddDays(-1) }]);

        Assert.InRange(System.Text.Encoding.UTF8.GetByteCount(page), 1_000_000, 60 * 40_000);
    }

    /// <summary>A run and a scenario of it with nine seconds of which the fifth had no completion.</summary>
    internal static (RunResult Run, ScenarioResult Scenario) OverTime()
    {
        var run = SampleRun.Create() with { Capacity = [] };
        TimelinePoint[] points =
        [
            .. Enumerable.Range(0, 9).Select(second => new TimelinePoint
            {
                TMs = 1000 * second, Started = 40, Completed = second == 4 ? 0 : 40, Failed = second == 5 ? 9 : 0,
                InFlight = second,
                Errors = second == 5 ? new Dictionary<string, long> { ["503 too busy"] = 7, ["timeout"] = 2 } : null,
                P50Ms = second == 4 ? null : 5, P95Ms = second == 4 ? null : 8, P99Ms = second == 4 ? null : 9,
                MaxMs = second == 4 ? null : 12, Latencies = second == 4 ? null : "36:30,9,1", ScheduleLagP99Ms = 0.2,
                PoolDelayP99Ms = 0.1,
                Cpu = new TimelineCpu(0.2, 0.4, 0.1, 0.8), Backlog = second,
                Waits = new Dictionary<string, double> { ["IO:WALSync"] = 0.5 },
            }),
        ];
        var scenario = run.Scenarios.Single(scenario => scenario.Name == "postgres-delayed-burst-smoke");
        return (run,
            scenario with { DurationMs = 9_000, Timeline = new TimelineResult { IntervalMs = 1000, Points = points } });
    }

    private static IEnumerable<string> Shapes(XElement strip, string style) => strip.Elements("path")
        .Where(path => path.Attribute("class")!.Value.Split(' ')[0] == style)
        .Select(path => path.Attribute("d")!.Value);
}
