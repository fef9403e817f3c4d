using LoadTesting.Core.Analysis;
using LoadTesting.Core.Results;
using LoadTesting.Tool;
using UnitTests.LoadTesting.Reporting;

namespace UnitTests.LoadTesting.Tool;

/// <summary>The tool as a user runs it, on files of a folder that is gone afterwards.</summary>
public abstract class ToolTests : IDisposable
{
    protected DirectoryInfo Folder { get; } = Directory.CreateTempSubdirectory("wfperf-");
    protected StringWriter Out { get; } = new();
    protected StringWriter Error { get; } = new();

    public void Dispose()
    {
        Out.Dispose();
        Error.Dispose();
        Folder.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }

    protected string PathOf(string file) => Path.Combine(Folder.FullName, file);
    protected Task<string> TextAsync(string file) => File.ReadAllTextAsync(PathOf(file), Cancel);

    protected Task<int> RunAsync(params string[] arguments) =>
        CommandLine.RunAsync(arguments, new ToolConsole(Out, Error, IsStyled: false), Cancel);
}

/// <summary>Runs to set beside each other.</summary>
internal static class Runs
{
    private const int Operations = 200;

    /// <summary>One scenario of one profile, on a known machine, with durable storage.</summary>
    public static RunResult Of(params IReadOnlyList<ScenarioResult> scenarios) => SampleRun.Create() with { Scenarios = scenarios };

    public static ScenarioResult Scenario(
        double perSecond = 1000, double medianMs = 5, string profile = "postgres", string name = "signal-roundtrip") =>
        SampleRun.Scenario(profile, name, Operations, concurrency: 8, medianMs, perSecond);

    public static ComparisonSource As(this RunResult run, string label) => new(label, run);
    public static Comparison Compare(RunResult first, RunResult other) => Comparison.Of([first.As("first"), other.As("other")]);

    /// <summary>The result of the second column in the only row.</summary>
    public static ComparisonCell Judged(RunResult first, RunResult other) => Xunit.Assert.Single(Compare(first, other).Rows).Cells[1];
}
