using System.Security.Cryptography;
using System.Xml.Linq;
using static UnitTests.LoadTesting.Reporting.ReportPage;

namespace UnitTests.LoadTesting.Reporting;

public sealed partial class HtmlReportTests
{
    private const string Hostile = "\"><script>alert('1')</script><img src=x onerror=alert(1)>&amp;";

    [Fact]
    public void The_page_fetches_nothing_and_runs_its_own_script_alone()
    {
        var page = HtmlReport.Render(SampleRun.Create());

        Assert.DoesNotMatch(ExternalResource(), page);
        var script = Assert.Single(Parse(page).Descendants("script"));
        Assert.Empty(script.Attributes());
        var policy = Parse(page).Descendants("meta")
            .Single(meta => (string?)meta.Attribute("http-equiv") == "Content-Security-Policy");
        var allowed = Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(script.Value)));
        Assert.Equal(
            $"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; "
                + $"script-src 'sha256-{allowed}'",
            policy.Attribute("content")!.Value);
    }

    [Fact]
    public void The_page_is_well_formed_and_every_link_has_its_target()
    {
        var page = Parse(HtmlReport.Render(SampleRun.Create()));

        var ids = page.Descendants().Attributes("id").Select(id => id.Value).ToList();
        Assert.Equal(ids.Count, ids.Distinct().Count());
        var targets = page.Descendants("a").Select(link => link.Attribute("href")!.Value.TrimStart('#'));
        Assert.Empty(targets.Except(ids));
    }

    [Fact]
    public void Every_row_is_as_wide_as_its_table()
    {
        var page = Parse(HtmlReport.Render(SampleRun.Create()));

        foreach (var table in page.Descendants("table"))
        {
            var widths = table.Descendants("tr")
                .Select(row => row.Elements().Sum(cell => (int?)cell.Attribute("colspan") ?? 1)).Distinct();
            Assert.True(widths.Count() == 1, $"Rows of different width in '{table.Element("caption")?.Value}'.");
        }
    }

    [Fact]
    public void Hostile_text_stays_text_wherever_it_comes_from()
    {
        var page = Parse(HtmlReport.Render(HostileRun()));

        Assert.Equal(StripScript.Text, Assert.Single(page.Descendants("script")).Value);
        Assert.Empty(page.Descendants("img"));
        Assert.DoesNotContain(
            page.Descendants().Attributes(),
            attribute => attribute.Name.LocalName.StartsWith("on", StringComparison.Ordinal));
        Assert.Contains(page.Descendants("h3"), header => header.Value == Hostile);
        Assert.Contains(page.Descendants("code"), code => code.Value == Hostile);
    }

    [Fact]
    public void A_scenario_shows_its_verdict_figures_and_reason()
    {
        var scenarios = Section(SampleRun.Create(), "scenarios");

        var row = scenarios.Descendants("tr").Single(row => row.Element("th")?.Value == "immediate-burst-smoke-http");
        string[] start = ["immediate-burst-smoke-http", "failed", "HTTP", "1", "642.0", "24"];
        Assert.Equal(start, row.Elements().Take(6).Select(cell => cell.Value.Trim()));
        Assert.Contains("1 operation unaccounted for", row.ElementsAfterSelf().First().Value, StringComparison.Ordinal);
    }

    [Fact]
    public void A_search_for_the_capacity_is_reported_drawn_and_tabled()
    {
        var run = SampleRun.Create();

        var section = Section(run, "capacity");

        Assert.All(run.Capacity, capacity =>
            Assert.Contains(
                section.Descendants("p"), p => p.Value.EndsWith(capacity.Sentence, StringComparison.Ordinal)));
        var open = run.Capacity[0].Open!;
        var charts = section.Descendants("figure").ToList();
        Assert.Equal(4, charts.Count);
        Assert.Equal(open.Steps.Count, charts[1].Descendants("circle").Count());
        Assert.Contains(charts[1].Descendants("text"), text => text.Value == "last comfortable");
        var verdicts =
            section.Descendants("details").ElementAt(1).Descendants("td").Select(cell => cell.Value.Trim()).ToList();
        Assert.Equal(open.Steps.Count(step => !step.Comfortable), verdicts.Count(value => value == "pressure"));
        Assert.Contains(
            "105.", section.Descendants("tr").First(row => row.Element("th")?.Value == "WAL flush").Value,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Finding_is_reported_with_its_evidence()
    {
        var run = SampleRun.Create();
        var finding = run.Scenarios[4].Findings!.Ranked[0];

        var section = Section(run, "findings");

        var scenario = section.Descendants("tr")
            .First(row => row.Value.StartsWith(run.Scenarios[4].Name, StringComparison.Ordinal));
        var row = scenario.ElementsAfterSelf().First();
        Assert.Equal($"1. {finding.Resource}", row.Element("th")!.Value);
        Assert.Contains(finding.Evidence[0], row.ElementsAfterSelf().First().Value, StringComparison.Ordinal);
        Assert.Contains(finding.Suggestion, row.ElementsAfterSelf().First().Value, StringComparison.Ordinal);
        var shares = section.Descendants("table").Last();
        Assert.Contains(shares.Descendants("tr").First().Elements(), head => head.Value == finding.Resource);
        Assert.DoesNotContain(
            shares.Descendants("tr").First().Elements(), head => head.Value == "locks"); // Nobody waited for one.
        Assert.Equal(run.Scenarios.Count, shares.Element("tbody")!.Elements().Count());
    }

    [Fact]
    public void A_broken_ledger_names_each_broken_rule()
    {
        var run = SampleRun.Create();
        var expected = run.Scenarios.Single(scenario => !scenario.Ledger!.Balanced).Ledger!.Violations();

        var reported =
            Section(run, "ledger").Descendants("tr").Where(row => (string?)row.Attribute("class") == "detail bad")
            .Select(row => row.Value.Trim());

        Assert.Equal(expected, reported);
        Assert.Equal(2, expected.Count);
    }

    [Fact]
    public void A_failed_check_and_a_veto_stand_below_their_scenario()
    {
        var run = SampleRun.Create();
        var check = CheckResult.AtMost("lostSignals", CheckSubject.System, 2, 0, $"2 signals unaccounted for");
        var scenario = run.Scenarios[0] with { Validity = run.Scenarios[0].Validity! with { Checks = [check] } };

        var section = Section(run with { Scenarios = [scenario] }, "validity");

        var row = section.Descendants("tr").First(row => row.Element("th")?.Value == scenario.Name);
        Assert.Equal(["invalid", "0 of 1"], row.Elements().Skip(1).Take(2).Select(cell => cell.Value.Trim()));
        Assert.Equal(
            ["lostSignals: 2 signals unaccounted for", scenario.Validity!.Vetoes[0]],
            row.ElementsAfterSelf().Take(2).Select(detail => detail.Value.Trim()));
        Assert.Contains(section.Descendants("th"), header => header.Value == "workingSet, MiB");
    }

    [Fact]
    public void The_parts_of_the_servers_time_follow_one_another()
    {
        var run = SampleRun.Create();
        var split = run.Scenarios[2].ServerSplit!;

        var bars = Section(run, "server").Descendants("svg").Take(split.Count)
            .Select(strip => strip.Elements("rect").Last())
            .Select(bar => ((double)bar.Attribute("x")!, (double)bar.Attribute("width")!)).ToList();

        Assert.Equal(["queueWait", "execution", "commit", "publish", "delivery"], split.Keys);
        for (var part = 1; part < bars.Count; part++)
        {
            Assert.Equal(bars[part - 1].Item1 + bars[part - 1].Item2, bars[part].Item1, 0.2);
        }

        Assert.Equal(1000, bars[^1].Item1 + bars[^1].Item2, 0.2);
    }

    [Fact]
    public void Thresholds_and_errors_are_listed_with_what_was_measured()
    {
        var section = Section(SampleRun.Create(), "thresholds");

        Assert.Contains(section.Descendants("span"), badge => badge.Value == "not enough samples");
        Assert.Contains(section.Descendants("td"), cell => cell.Value == "too busy");
    }

    [Fact]
    public void A_bound_generator_is_shown_with_its_evidence()
    {
        var generator = Section(SampleRun.Create(), "generator");

        Assert.Contains(
            "The process used 97 % of each core; the limit is 80 %.", generator.Value, StringComparison.Ordinal);
        Assert.Single(generator.Descendants("span"), badge => badge.Value == "bound");
    }

    [Fact]
    public void Skipped_profiles_are_shown_with_how_to_enable_them()
    {
        var run = SampleRun.Create();

        var settings = Section(run, "environment").Descendants("tr")
            .ToLookup(row => row.Elements().First().Value, row => row.Elements().Last().Value);

        Assert.Equal("on", Assert.Single(settings["synchronous_commit"]));
        Assert.Contains(
            Section(run, "not-exercised").Descendants("code"), code => code.Value == run.NotExercised[1].Command);
    }

    [Fact]
    public void Profiles_of_unlike_durability_are_said_not_to_be_ranked()
    {
        var run = SampleRun.Create();
        var alike = run.Environment.Backends
            .ToDictionary(entry => entry.Key, entry => entry.Value with { Durability = "durable" });

        Assert.Contains("not ranked.", Header(run), StringComparison.Ordinal);
        Assert.DoesNotContain(
            "not ranked.", Header(run with { Environment = run.Environment with { Backends = alike } }),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Figures_are_quoted_only_from_scenarios_that_passed()
    {
        var run = SampleRun.Create();
        var failed = run.Scenarios
            .Select(scenario => scenario with { Verdict = new VerdictResult(VerdictOutcome.Failed, ["wrong"]) });

        Assert.Contains("Highest throughput 1,834 operations/s", Header(run), StringComparison.Ordinal);
        Assert.DoesNotContain(
            "Highest throughput", Header(run with { Scenarios = [.. failed] }), StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_without_scenarios_is_a_page_too()
    {
        var page = Parse(HtmlReport.Render(
            SampleRun.Create()
                with { Scenarios = [], Capacity = [], CeilingsByProfile = new Dictionary<string, CeilingsResult>() }));

        Assert.Equal("No scenario has finished", page.Descendants("h1").Single().Value);
    }

    [Fact]
    public void A_record_with_latency_alone_is_a_page_too()
    {
        var bare = new ScenarioResult
        {
            Name = "old-thing", Tier = "T", Profile = "old", Hosting = HostingKind.InProcess, LoadEngine = "other",
            LoadModel = "closed",
            Operations = 3,
            DurationMs = 4752.27, ThroughputPerSecond = 3.37,
            Latency = new LatencyResult { N = 3, AverageMs = 4257.28 },
            Verdict = new VerdictResult(VerdictOutcome.Passed, []),
        };
        var run = SampleRun.Create()
            with { Scenarios = [bare], Environment = new EnvironmentInfo(), Commit = null, Dirty = null };

        Assert.Contains("4,257.28", Parse(HtmlReport.Render(run)).Value, StringComparison.Ordinal);
    }

    private static RunResult HostileRun()
    {
        var run = SampleRun.Create();
        var scenario = run.Scenarios[^2];
        var backend = new BackendInfo
        {
            Product = Hostile, Version = Hostile, Durability = Hostile, Provision = Hostile, Notes = [Hostile],
            Settings = new Dictionary<string, string> { [Hostile] = Hostile },
        };
        return run with
        {
            RunId = Hostile,
            Commit = Hostile,
            Environment = new EnvironmentInfo
            {
                CpuModel = Hostile,
                Os = Hostile,
                Notes = [Hostile],
                Backends = new Dictionary<string, BackendInfo> { [Hostile] = backend },
            },
            CeilingsByProfile = new Dictionary<string, CeilingsResult>
                { [Hostile] = new() { CommitsPerSecond = 1, Notes = [Hostile] } },
            NotExercised = [new NotExercised(Hostile, Hostile, Hostile)],
            Notes = [Hostile],
            Scenarios =
            [
                scenario with
                {
                    Name = Hostile, Profile = Hostile, Tier = Hostile, LoadModel = Hostile, LoadEngine = Hostile,
                    Notes = [Hostile],
                    Phases = new Dictionary<string, LatencyResult> { [Hostile] = scenario.Latency },
                    ServerSplit = new Dictionary<string, LatencyResult> { [Hostile] = scenario.Latency },
                    Backend = new BackendCounters
                    {
                        PerOperation = new Dictionary<string, double?> { [Hostile] = 1 },
                        Waits = [new(Hostile, 1)],
                        Notes = [Hostile],
                    },
                    Findings = new FindingsResult
                    {
                        ResponseSeconds = 1,
                        Ranked =
                        [
                            new FindingResult
                            {
                                Rank = 1, Resource = Hostile, ImpactSecondsPerOperation = 1, ShareOfResponseTime = 1,
                                Evidence = [Hostile],
                                Suggestion = Hostile, Confidence = FindingConfidence.High,
                            },
                        ],
                        Resources =
                        [
                            new ResourceResult
                                { Resource = Hostile, State = ResourceState.NotExamined, Evidence = [Hostile] },
                        ],
                    },
                    Generator = scenario.Generator! with { Evidence = [Hostile], StopReason = Hostile },
                    Validity = new ValidityResult
                    {
                        Checks = [new CheckResult(Hostile, CheckSubject.System, CheckOutcome.Failed, 1, 0, Hostile)],
                        Environment =
                            [new CheckResult(Hostile, CheckSubject.Measurement, CheckOutcome.Failed, 1, 0, Hostile)],
                        Leaks = [
                            .. scenario.Validity!.Leaks!.Select(leak => leak with { Name = Hostile, Unit = Hostile })],
                    },
                    Resources = new ResourcesResult { Service = new Dictionary<string, double?> { [Hostile] = 1 } },
                    Errors = [new ErrorResult(Hostile, Hostile, 1)],
                    Reproduce = Hostile,
                    Timeline = new TimelineResult
                    {
                        IntervalMs = 1000,
                        Points = [.. Enumerable.Range(0, 2).Select(second => new TimelinePoint
                        {
                            TMs = 1000 * second, Completed = 5,
                            Waits = new Dictionary<string, double> { [Hostile] = 1 },
                            Errors = new Dictionary<string, long> { [Hostile] = 1 },
                        })],
                    },
                    Thresholds = [new(Hostile, Hostile, 1, 1, ThresholdOutcome.Failed, ThresholdKind.Times)],
                    Verdict = new VerdictResult(VerdictOutcome.Failed, [Hostile]),
                },
            ],
        };
    }

    [GeneratedRegex("""<script\s|<link|<iframe|@import|url\(|src=|https?://""", RegexOptions.IgnoreCase)]
    private static partial Regex ExternalResource();
}
