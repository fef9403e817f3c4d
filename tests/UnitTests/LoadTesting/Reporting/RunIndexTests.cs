using LoadTesting.Core.Reporting;

namespace UnitTests.LoadTesting.Reporting;

public sealed class RunIndexTests : IDisposable
{
    private const string Hostile = "<img src=x onerror=alert(1)>\"'";

    private readonly string _results = Directory.CreateTempSubdirectory("run-index-").FullName;

    public void Dispose() => Directory.Delete(_results, recursive: true);

    [Fact]
    public async Task Newest_run_is_first_with_its_verdict()
    {
        foreach (var run in DailyRuns())
        {
            await KeepAsync(run);
        }

        var broken = Directory.CreateDirectory(Path.Combine(_results, "20260101T000000Z-half")).FullName;
        await File.WriteAllTextAsync(Path.Combine(broken, "run.json"), "{", Cancel);
        Directory.CreateSymbolicLink(Path.Combine(_results, "latest"), "20260110T000000Z-0000010");

        var path = await RunIndex.WriteAsync(_results, Cancel);

        var page = ReportPage.Parse(await File.ReadAllTextAsync(path, Cancel));
        var rows = page.Descendants("section").First().Descendants("tbody").Single().Elements("tr").ToList();
        Assert.Equal(11, rows.Count);
        Assert.Equal(
            "20260110T000000Z-0000010/report.html", rows[0].Descendants("a").Single().Attribute("href")!.Value);
        Assert.Equal(["passed", "0000010"], rows[0].Elements("td").Take(2).Select(cell => cell.Value.Trim()));
        var half = rows.Single(row => row.Element("th")!.Value == "20260101T000000Z-half");
        Assert.Empty(half.Descendants("a"));
        Assert.Contains("run.json", half.Element("td")!.Value, StringComparison.Ordinal);
        Assert.Contains(page.Descendants("li"), line => line.Value == "5 changes of level: 5 worse, 0 better; 0 new.");
        Assert.Contains(page.Descendants("line"), line => line.Attribute("class")!.Value == "trend-change worse");
        Assert.Empty(page.Descendants("img"));
        Assert.Contains(page.Descendants("h3"), title => title.Value == Hostile);
    }

    [Fact]
    public async Task Search_that_failed_fails_its_run()
    {
        await KeepAsync(DailyRuns().First() with { Capacity = [Samples.DailyRuns.Capacity(limit: null)] });

        var page = ReportPage.Parse(await File.ReadAllTextAsync(await RunIndex.WriteAsync(_results, Cancel), Cancel));

        var newest = page.Descendants("li").First();
        Assert.Equal("bad", newest.Attribute("class")!.Value);
        Assert.Contains(
            "2 of 3 scenarios passed; failed: postgres-signal-capacity.", newest.Value, StringComparison.Ordinal);
        Assert.Equal(
            ["failed", "0000001", "2", "1", "0"],
            page.Descendants("tbody").First().Element("tr")!.Elements("td").Take(5).Select(cell => cell.Value.Trim()));
    }

    [Fact]
    public async Task One_run_is_counted_as_one()
    {
        await KeepAsync(DailyRuns().First() with { Scenarios = [Runs.Scenario()] });

        var page =
            ReportPage.Parse(await File.ReadAllTextAsync(await RunIndex.WriteAsync(_results, Cancel), Cancel)).Value;

        AssertHolds(page, "1 of 1 scenario passed", "1 daily run");
        Assert.DoesNotMatch(@"\b1 (daily runs|scenarios|results|runs)\b", page);
    }

    [Fact]
    public async Task A_directory_without_runs_is_a_page_too()
    {
        var page = ReportPage.Parse(await File.ReadAllTextAsync(await RunIndex.WriteAsync(_results, Cancel), Cancel));

        Assert.Contains("No run can be read.", page.Value, StringComparison.Ordinal);
    }

    /// <summary>Pages with everything there is, for the browser that CI opens them in.</summary>
    [Fact]
    public async Task Pages_to_look_at_are_kept()
    {
        foreach (var run in DailyRuns())
        {
            await KeepAsync(run);
        }

        var kept = Directory.CreateDirectory(Repository.FullPath("TestResults/reports")).FullName;
        var sample = SampleRun.Create();
        var longer =
            ScenarioDetailTests.OverTime().Scenario with { Name = "postgres-over-time", Reproduce = "dotnet test" };
        var page = HtmlReport.Render(
            sample with { Scenarios = [.. sample.Scenarios, longer] },
            [sample with { CreatedUtc = sample.CreatedUtc.AddDays(-1) }]);
        await File.WriteAllTextAsync(Path.Combine(kept, "report.html"), page, Cancel);
        File.Copy(await RunIndex.WriteAsync(_results, Cancel), Path.Combine(kept, "index.html"), overwrite: true);

        Assert.All(new[] { "report.html", "index.html" },
            file => Assert.True(new FileInfo(Path.Combine(kept, file)).Length > 10_000));
    }

    /// <summary>Ten days; from the sixth on it takes twice the time.</summary>
    private static IEnumerable<RunResult> DailyRuns() => Enumerable.Range(1, 10).Select(day =>
    {
        var slow = day >= 6 ? 2 : 1;
        var sample = Runs.Of(
            Runs.Scenario(perSecond: (1000 + (day % 3)) / slow, medianMs: 5 * slow),
            Runs.Scenario(name: "other") with { Name = Hostile });
        return sample with
        {
            RunId = $"202601{day:00}T000000Z-00000{day:00}",
            Commit = $"00000{day:00}aaaa",
            Dirty = false,
            CreatedUtc = new DateTimeOffset(2026, 1, day, 0, 0, 0, TimeSpan.Zero),
        };
    });

    private async Task KeepAsync(RunResult run)
    {
        var directory = Directory.CreateDirectory(Path.Combine(_results, run.RunId)).FullName;
        await File.WriteAllTextAsync(Path.Combine(directory, "run.json"), ResultJson.Write(run), Cancel);
        await File.WriteAllTextAsync(Path.Combine(directory, "report.html"), "", Cancel);
    }
}
