using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Live;
using LoadTesting.Core.Reporting.Live;
using LoadTesting.Core.Results;

namespace Benchmarks;

/// <summary>
/// What showing a run costs: processor time of the same load with nobody looking, and with a table and the progress
/// file. Each round has both twice, in the order without, with, with, without, so that a drift of the machine falls on
/// both. What one look costs is far below the noise of any load: it is measured by looking 200 times a second.
/// </summary>
internal static class ProgressCost
{
    private const double Limit = 0.01;

    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_often = TimeSpan.FromMilliseconds(5);
    private static readonly Task<IResponse> s_ok = Task.FromResult<IResponse>(Response.Ok());

    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("a closed load with nobody looking, and with a table and the progress file");
        var busy = Simulation.KeepConstant(1, options.Duration);
        var idle = Simulation.Inject(10, s_second, options.Duration);
        await MeasureAsync(busy, s_often, cancellationToken); // Not counted: it compiles.
        for (var round = 0; round < options.Rounds; round++)
        {
            var (without, with) = await PairAsync(busy, s_second, cancellationToken);
            rounds.Add("no-op iteration without, processor time, ns", without.PerIterationNs);
            rounds.Add("no-op iteration with, processor time, ns", with.PerIterationNs);
            rounds.Add("with over without", with.PerIterationNs / without.PerIterationNs);
            (without, with) = await PairAsync(idle, s_often, cancellationToken);
            rounds.Add("one look, processor time, ms", (with.PerSecondMs - without.PerSecondMs) / with.LooksPerSecond);
        }

        rounds.Print();
        Rounds.Target(
            "share of one processor that one look a second takes", rounds.Median("one look, processor time, ms") / 1000,
            Limit,
            atLeast: false);
    }

    private static async Task<(Used Without, Used With)> PairAsync(
        LoadSimulation load, TimeSpan interval, CancellationToken cancellationToken)
    {
        Used[] all =
        [
            await MeasureAsync(load, null, cancellationToken), await MeasureAsync(load, interval, cancellationToken),
            await MeasureAsync(load, interval, cancellationToken), await MeasureAsync(load, null, cancellationToken),
        ];
        return (Used.Mean(all[0], all[3]), Used.Mean(all[1], all[2]));
    }

    /// <param name="interval">Time between two looks; null if the run is not observed.</param>
    private static async Task<Used> MeasureAsync(
        LoadSimulation load, TimeSpan? interval, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create("nothing", _ => s_ok).WithLoadSimulations(load);
        var folder = Directory.CreateTempSubdirectory("progress-cost-");
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        progress.Enter(RunStage.Measuring, "nothing");
        progress.Plan([Planned()]);
        var looks = new Looks();
        GC.Collect();
        var (cpu, since) = (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());
        LoadResult result;
        using (interval is null
            ? null
            : new ProgressDisplay(
                progress,
                [new ProgressTable(TextWriter.Null, () => 120, isColoured: true), new ProgressFile(folder.FullName),
                    looks],
                interval))
        {
            result = await new LoadRunner().RunAsync(
                [scenario], new LoadOptions { Metrics = interval is null ? null : metrics }, cancellationToken);
        }

        var (used, real) = (Environment.CpuUsage.TotalTime - cpu, Stopwatch.GetElapsedTime(since));
        folder.Delete(recursive: true);
        return new(
            used.TotalNanoseconds / result.Scenarios[0].Ok.Count, used.TotalMilliseconds / real.TotalSeconds,
            looks.Count / real.TotalSeconds);
    }

    /// <summary>What the file has besides the figures: the result that a killed run would be left with.</summary>
    private static ScenarioResult Planned() => new()
    {
        Name = "nothing", Tier = "", Profile = "memory", Hosting = HostingKind.InProcess,
        LoadEngine = LoadRunner.BuiltInEngine,
        LoadModel = "", Operations = 0, DurationMs = 0, ThroughputPerSecond = 0, Latency = new LatencyResult { N = 0 },
        Verdict = new(VerdictOutcome.Inconclusive, []),
    };

    private sealed record Used(double PerIterationNs, double PerSecondMs, double LooksPerSecond)
    {
        public static Used Mean(Used one, Used other) => new(
            (one.PerIterationNs + other.PerIterationNs) / 2, (one.PerSecondMs + other.PerSecondMs) / 2,
            (one.LooksPerSecond + other.LooksPerSecond) / 2);
    }

    private sealed class Looks : IProgressOutput
    {
        public int Count { get; private set; }

        public void Show(RunProgressSnapshot run) => Count++;

        public void Dispose()
        {
            // Nothing is held.
        }
    }
}
