using LoadTesting.Core.Baselines;
using LoadTesting.Tool;
using Xunit;

namespace UnitTests.LoadTesting.Tool;

public sealed class HistoryCommandTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("wfperf-");
    private readonly StringWriter _out = new();
    private readonly StringWriter _error = new();

    [Fact]
    public async Task Change_is_told_in_the_terminal_in_markdown_and_on_the_page()
    {
        await SaveAsync(Nights.Of(42, night => night < 40 ? 1000 : 700));

        Assert.Equal((0, ""), (await RunAsync(_directory.FullName, "--markdown", PathOf("out/h.md"), "--html", PathOf("out/h.html")), _error.ToString()));

        const string told = "New: postgres-signal-roundtrip is worse since 2026-02-10, 0000027 to 0000028: ";
        Assert.Contains(told, _out.ToString());
        Assert.Contains(told, await TextAsync("out/h.md"));
        var page = await TextAsync("out/h.html");
        Assert.Contains(told, page);
        Assert.Contains("42 nights, levels ", page);
        Assert.Contains("class=\"trend-change worse\"", page);
        Assert.DoesNotContain("http", page.Replace("http://www.w3.org", "", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(42, 1)]
    [InlineData(44, 0)]
    public async Task New_change_for_the_worse_is_an_alarm_once_when_that_is_asked_for(int nights, int code)
    {
        await SaveAsync(Nights.Of(nights, night => night < 40 ? 1000 : 700));

        Assert.Equal(code, await RunAsync(_directory.FullName, "--fail-on-new"));
    }

    [Fact]
    public async Task Change_for_the_better_is_no_alarm()
    {
        await SaveAsync(Nights.Of(42, night => night < 40 ? 1000 : 1400));

        Assert.Equal(0, await RunAsync(_directory.FullName, "--fail-on-new"));
        Assert.Contains("New: postgres-signal-roundtrip is better since", _out.ToString());
    }

    [Fact]
    public async Task Run_is_counted_once_however_often_it_is_found()
    {
        await SaveAsync(Nights.Of(3, _ => 1000));
        var run = Directory.GetDirectories(_directory.FullName)[0];
        // The file of a scenario beside run.json, a copy called latest, and the run by its own name.
        File.Copy(Path.Combine(run, "run.json"), Path.Combine(run, "postgres-signal-roundtrip.json"));
        Directory.CreateDirectory(PathOf("latest"));
        File.Copy(Path.Combine(run, "run.json"), PathOf("latest/run.json"));

        Assert.Equal(0, await RunAsync(_directory.FullName, Path.Combine(run, "run.json")));
        Assert.Contains("3 nights at most; a change needs 4.", _out.ToString());
        Assert.Contains("No level has changed.", _out.ToString());
    }

    [Fact]
    public async Task What_is_no_result_is_named()
    {
        Assert.Equal(2, await RunAsync(_directory.FullName));
        Assert.Contains("neither the directory nor one below it holds a result", _error.ToString());

        await File.WriteAllTextAsync(PathOf("notes.json"), "{}", TestContext.Current.CancellationToken);
        Assert.Equal(2, await RunAsync(_directory.FullName));
        Assert.Contains("notes.json: The document's schemaVersion is missing", _error.ToString());
    }

    [Fact]
    public async Task Result_is_never_written_over()
    {
        await SaveAsync(Nights.Of(1, _ => 1000));
        var file = Directory.GetFiles(_directory.FullName, "run.json", SearchOption.AllDirectories)[0];

        Assert.Equal(2, await RunAsync(file, "--html", file));
        Assert.Contains("was read, and is not written over", _error.ToString());
    }

    public void Dispose()
    {
        _out.Dispose();
        _error.Dispose();
        _directory.Delete(recursive: true);
    }

    private string PathOf(string file) => Path.Combine(_directory.FullName, file);

    private Task<int> RunAsync(params string[] arguments) =>
        CommandLine.RunAsync(["history", .. arguments], new ToolConsole(_out, _error, IsStyled: false), TestContext.Current.CancellationToken);

    private Task<string> TextAsync(string file) => File.ReadAllTextAsync(PathOf(file), TestContext.Current.CancellationToken);

    private async Task SaveAsync(IEnumerable<RunResult> runs)
    {
        foreach (var run in runs)
        {
            var directory = _directory.CreateSubdirectory(run.RunId);
            await File.WriteAllTextAsync(Path.Combine(directory.FullName, "run.json"), ResultJson.Write(run), TestContext.Current.CancellationToken);
        }
    }
}
