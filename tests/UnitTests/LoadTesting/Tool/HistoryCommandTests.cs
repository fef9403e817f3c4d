namespace UnitTests.LoadTesting.Tool;

public sealed class HistoryCommandTests : ToolTests
{
    [Fact]
    public async Task Change_is_reported_in_every_format()
    {
        await SaveAsync(DailyRuns.Of(42, daily => daily < 40 ? 1000 : 700));

        Assert.Equal((0, ""),
            (await HistoryAsync(Folder.FullName, "--markdown", PathOf("out/h.md"), "--html", PathOf("out/h.html")),
                Error.ToString()));

        const string reported = "New: postgres-signal-roundtrip is worse since 2026-02-10, 0000027 to 0000028: ";
        Assert.Contains(reported, Out.ToString());
        Assert.Contains(reported, await TextAsync("out/h.md"));
        var page = await TextAsync("out/h.html");
        Assert.Contains(reported, page);
        Assert.Contains("42 daily runs, levels ", page);
        Assert.Contains("class=\"trend-change worse\"", page);
        Assert.DoesNotContain("://", page.Replace("http://www.w3.org", "", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(42, 1), InlineData(44, 0)]
    public async Task New_regression_is_an_alarm_once(int dailyRuns, int code)
    {
        await SaveAsync(DailyRuns.Of(dailyRuns, daily => daily < 40 ? 1000 : 700));

        Assert.Equal(code, await HistoryAsync(Folder.FullName, "--fail-on-new"));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 0)]
    public async Task New_failure_is_an_alarm_once_and_stays_on_the_page(int failed, int code)
    {
        await SaveAsync(
            [.. DailyRuns.Of(5, _ => 1000),
                .. Enumerable.Range(5, failed).Select(daily => DailyRuns.Failed(daily, 10))]);

        Assert.Equal(code, await HistoryAsync(Folder.FullName, "--fail-on-new", "--html", PathOf("out/h.html")));
        Assert.Contains("postgres-signal-roundtrip: failed. stuck is 3", Out.ToString());
        var page = await TextAsync("out/h.html");
        Assert.Contains("class=\"trend-unsound\"", page);
        Assert.Equal(code == 1, page.Contains("<li class=\"bad\">New: ", StringComparison.Ordinal));
        Assert.DoesNotContain("<li class=\"good\">", page);
    }

    [Fact]
    public async Task Capacity_is_on_the_page_with_its_newest_level()
    {
        await SaveAsync(Enumerable.Range(0, 4).Select(daily =>
            DailyRuns.Run(daily, 1000) with { Scenarios = [], Capacity = [DailyRuns.Capacity(1000)] }));

        Assert.Equal(0, await HistoryAsync(Folder.FullName, "--html", PathOf("out/h.html")));

        var page = await TextAsync("out/h.html");
        Assert.Contains("<h3>postgres-signal-capacity</h3>\n<span class=\"key-figures\">capacity, /s 1,000", page);
        Assert.DoesNotContain("not in the newest runs", page);
    }

    [Fact]
    public async Task Improvement_is_not_an_alarm()
    {
        await SaveAsync(DailyRuns.Of(42, daily => daily < 40 ? 1000 : 1400));

        Assert.Equal(0, await HistoryAsync(Folder.FullName, "--fail-on-new"));
        Assert.Contains("New: postgres-signal-roundtrip is better since", Out.ToString());
        Assert.Equal(0, await HistoryAsync(Folder.FullName, "--html", PathOf("out/h.html")));
        Assert.Contains(
            "<li class=\"good\">New: postgres-signal-roundtrip is better since", await TextAsync("out/h.html"));
    }

    [Fact]
    public async Task Run_is_counted_once_however_often_it_is_found()
    {
        await SaveAsync(DailyRuns.Of(3, _ => 1000));
        var run = Directory.GetDirectories(Folder.FullName)[0];
        // The file of a scenario beside run.json, a copy called latest, and the run by its own name.
        File.Copy(Path.Combine(run, "run.json"), Path.Combine(run, "postgres-signal-roundtrip.json"));
        Directory.CreateDirectory(PathOf("latest"));
        File.Copy(Path.Combine(run, "run.json"), PathOf("latest/run.json"));

        Assert.Equal(0, await HistoryAsync(Folder.FullName, Path.Combine(run, "run.json")));
        Assert.Contains("3 daily runs at most; a change needs 4.", Out.ToString());
        Assert.Contains("No level has changed.", Out.ToString());
    }

    [Fact]
    public async Task File_that_is_not_a_result_is_named()
    {
        Assert.Equal(2, await HistoryAsync(Folder.FullName));
        Assert.Contains("neither the directory nor one below it holds a result", Error.ToString());

        await File.WriteAllTextAsync(PathOf("notes.json"), "{}", Cancel);
        Assert.Equal(2, await HistoryAsync(Folder.FullName));
        Assert.Contains("notes.json: The document's schemaVersion is missing", Error.ToString());
    }

    [Fact]
    public async Task Result_is_never_written_over()
    {
        await SaveAsync(DailyRuns.Of(1, _ => 1000));
        var file = Directory.GetFiles(Folder.FullName, "run.json", SearchOption.AllDirectories)[0];

        Assert.Equal(2, await HistoryAsync(file, "--html", file));
        Assert.Contains("is an input of this command and is not overwritten", Error.ToString());
    }

    private Task<int> HistoryAsync(params string[] arguments) => RunAsync(["history", .. arguments]);

    private async Task SaveAsync(IEnumerable<RunResult> runs)
    {
        foreach (var run in runs)
        {
            var directory = Folder.CreateSubdirectory(run.RunId);
            await File.WriteAllTextAsync(Path.Combine(directory.FullName, "run.json"), ResultJson.Write(run), Cancel);
        }
    }
}
