using System.Data;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using Microsoft.Extensions.Configuration;

namespace CompatibilityTests;

/// <summary>Reports that cannot be written stop a session before its load, or not at all.</summary>
public sealed class UnwritableReportTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("unwritable-");
    private readonly KeepingSink _sink = new();
    private int _ran;

    public void Dispose() => _folder.Delete(recursive: true);

    public static TheoryData<string, string, string> Places => new()
    {
        { "a-file", "report", "a-file: is a file. Name a directory." },
        { "a-file/below", "report", "a-file' is a file and holds no directory. Name another." },
        { "out", new string('n', 300), "a name in it has 304 bytes, and a file system takes 255. Shorten it." },
        { "out", "taken", "taken.txt: is a directory. Name a file." },
    };

    [Theory]
    [MemberData(nameof(Places))]
    public void Place_that_takes_no_report_is_refused_before_the_load(string folder, string name, string reason)
    {
        File.WriteAllText(Path.Combine(_folder.FullName, "a-file"), "");
        Directory.CreateDirectory(Path.Combine(_folder.FullName, "out", "taken.txt"));

        var refused = Assert.Throws<ArgumentException>(() => Session()
            .WithReportFolder(Path.Combine(_folder.FullName, folder)).WithReportFileName(name).Run());

        Assert.Contains(reason, refused.Message);
        Assert.Contains("WithReportFolder", refused.Message);
        Assert.Equal((0, false), (_ran, _sink.IsInitialised));
    }

    [Fact]
    public void Report_path_with_an_invalid_character_is_refused()
    {
        var refused = Assert.Throws<ArgumentException>(() => Session().WithReportFolder("a\0b").Run());

        Assert.Contains("a\\u0000b: has the character U+0000, which no path has. Take it out.", refused.Message);
        Assert.Equal(0, _ran);
    }

    [Fact]
    public void Place_that_cannot_be_made_is_refused_before_the_load()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Nobody can make a directory in /proc.");

        var refused = Assert.Throws<ArgumentException>(() => Session().WithReportFolder("/proc/nowhere").Run());

        Assert.Contains("/proc/nowhere: there is no such file or directory. Name another.", refused.Message);
        Assert.Equal(0, _ran);
    }

    [Fact]
    public void Probing_leaves_a_report_of_before_as_it_is()
    {
        var report = Path.Combine(_folder.FullName, "kept.txt");
        File.WriteAllText(report, "of before");

        Session().WithReportFolder(_folder.FullName).WithReportFileName("kept").WithReportFormats(ReportFormat.Txt)
            .WithReportFinalizer(data =>
            {
                Assert.Equal("of before", File.ReadAllText(report));
                return data;
            }).Run();

        Assert.NotEqual("of before", File.ReadAllText(report));
    }

    [Fact]
    public void Failed_report_leaves_the_result_and_the_other_reports()
    {
        var session = Session().WithReportFolder(_folder.FullName).WithReportFileName("r").WithReportFinalizer(data =>
        {
            Directory.CreateDirectory(Path.Combine(_folder.FullName, "r.html"));
            return data;
        });

        var result = session.Run();

        Assert.Equal((3, 3), (result.AllOkCount, _sink.Final!.AllOkCount));
        Assert.Equal(
            [ReportFormat.Txt, ReportFormat.Csv, ReportFormat.Md],
            result.ReportFiles.Select(file => file.ReportFormat));
        Assert.Contains("r.html", File.ReadAllText(Directory.GetFiles(_folder.FullName, "nbomber-log-*").Single()));
    }

    [Fact]
    public void Throwing_plugin_and_sink_leave_result_and_reports()
    {
        var result = Session(new ThrowingPlugin()).EnableHintsAnalyzer(true).WithReportFolder(_folder.FullName)
            .WithReportFinalizer(_ => throw new InvalidOperationException("no figures")).Run();

        Assert.Equal((3, 3, 4), (result.AllOkCount, _sink.Final!.AllOkCount, result.ReportFiles.Length));
        var log = File.ReadAllText(Directory.GetFiles(_folder.FullName, "nbomber-log-*").Single());
        Assert.All(
            ["The finalizer of the reports failed", "The analyzer of hints failed", "ThrowingPlugin failed in Dispose"],
            line => Assert.Contains(line, log));
    }

    private NBomberContext Session(params IWorkerPlugin[] plugins) => NBomberRunner.RegisterScenarios(
            Scenario.Create("three", _ =>
            {
                Interlocked.Increment(ref _ran);
                return Task.FromResult<IResponse>(Response.Ok());
            }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 3)))
        .WithReportingSinks(_sink).WithWorkerPlugins(plugins).DisplayConsoleMetrics(false);

    private sealed class KeepingSink : IReportingSink
    {
        public bool IsInitialised { get; private set; }
        public NodeStats? Final { get; private set; }
        public string SinkName => nameof(KeepingSink);

        public Task Init(IBaseContext context, IConfiguration infraConfig)
        {
            IsInitialised = true;
            return Task.CompletedTask;
        }

        public Task SaveRealtimeStats(ScenarioStats[] stats) => Task.CompletedTask;

        public Task SaveFinalStats(NodeStats stats)
        {
            Final = stats;
            return Task.CompletedTask;
        }

        public Task Stop() => Task.CompletedTask;

        public void Dispose()
        {
        }
    }

    private sealed class ThrowingPlugin : IWorkerPlugin
    {
        public string PluginName => nameof(ThrowingPlugin);

        public Task Init(IBaseContext context, IConfiguration infraConfig) => Task.CompletedTask;

        public Task<DataSet> GetStats(NodeStats stats) => throw new InvalidOperationException("no statistics");

        public string[] GetHints() => throw new InvalidOperationException("no hints");

        public Task Stop() => throw new InvalidOperationException("no end");

        public void Dispose() => throw new InvalidOperationException("no disposal");
    }
}
