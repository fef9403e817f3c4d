using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Histograms;
using LoadTesting.Core.Load.Pacing;
using LoadTesting.Core.Load.Simulations;

namespace Benchmarks;

/// <summary>The cost of the instrument: processor time of an empty iteration and of keeping a schedule.</summary>
internal static class GeneratorCost
{
    private static readonly Task<IResponse> s_ok = Task.FromResult<IResponse>(Response.Ok());

    private const string OneStep = "closed, 1 copy, 1 step";
    private const string FourSteps = "closed, 1 copy, 4 steps";
    private const string ThreeYieldingSteps = "closed, 8 copies, 3 steps that yield";
    private const string Open = "open, 20,000/s";
    private const string StepTime = "a step beyond the first, processor time, ns";
    private const string StepBytes = "a step beyond the first, allocated bytes";
    private const string OnSchedule = "started late by p99.9, us";

    private static readonly (string Name, Func<TimeSpan, LoadSimulation> Load,
        Func<IScenarioContext, Task<IResponse>> Body)[] s_loads =
    [
        ("closed, 1 copy", during => Simulation.KeepConstant(1, during), _ => s_ok),
        (OneStep, during => Simulation.KeepConstant(1, during), context => StepsAsync(context, 1)),
        (FourSteps, during => Simulation.KeepConstant(1, during), context => StepsAsync(context, 4)),
        ("closed, 8 copies", during => Simulation.KeepConstant(8, during), _ => s_ok),
        ("closed, 8 copies that yield", during => Simulation.KeepConstant(8, during), _ => YieldAsync()),
        (ThreeYieldingSteps, during => Simulation.KeepConstant(8, during), YieldingStepsAsync),
        ("open, 1,000/s", during => Simulation.Inject(1_000, TimeSpan.FromSeconds(1), during), _ => s_ok),
        ("open, 12,500/s", during => Simulation.Inject(12_500, TimeSpan.FromSeconds(1), during), _ => s_ok),
        (Open, during => Simulation.Inject(20_000, TimeSpan.FromSeconds(1), during), _ => s_ok),
    ];

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("the load generator with iterations that do nothing");
        for (var round = -1; round < context.Rounds; round++)
        {
            if (round == 0)
            {
                rounds = new Rounds("the load generator with iterations that do nothing");
            }

            await context.BeginRoundAsync(rounds, cancellationToken);
            var costs = new Dictionary<string, (double Nanoseconds, double Bytes)>();
            foreach (var (name, load, body) in s_loads)
            {
                costs[name] = await MeasureAsync(rounds, name, load(context.Duration), body, cancellationToken);
            }

            MeasureBareThread(rounds, context.Duration);
            rounds.Add(StepTime, (costs[FourSteps].Nanoseconds - costs[OneStep].Nanoseconds) / 3);
            rounds.Add(StepBytes, (costs[FourSteps].Bytes - costs[OneStep].Bytes) / 3);
        }

        rounds.Print();
        Target(StepTime, 100);
        Target(StepBytes, 50);
        Target($"{ThreeYieldingSteps}, allocated bytes per iteration", 600);
        Target($"{Open}, {OnSchedule}", 1_000);

        void Target(string name, double most) => Rounds.Target(name, rounds.Median(name), most, atLeast: false);
    }

    /// <returns>What an iteration costs, with all that the run itself does.</returns>
    private static async Task<(double Nanoseconds, double Bytes)> MeasureAsync(
        Rounds rounds, string name, LoadSimulation load, Func<IScenarioContext, Task<IResponse>> body,
        CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create("nothing", body).WithLoadSimulations(load);
        var (cpu, since, before) =
            (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp(), GC.GetTotalAllocatedBytes(precise: true));
        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
        var (used, real) = (Environment.CpuUsage.TotalTime - cpu, Stopwatch.GetElapsedTime(since));
        var stats = result.Scenarios[0];
        var cost = (used.TotalNanoseconds / stats.Ok.Count,
            (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / stats.Ok.Count);
        rounds.Add($"{name}, processor time per iteration, ns", cost.Item1);
        rounds.Add($"{name}, allocated bytes per iteration", cost.Item2);
        if (stats.Model == LoadModel.Open)
        {
            rounds.Add($"{name}, processors used", used / real);
            rounds.Add($"{name}, started late by p50, us", 1_000 * stats.ScheduleLag.PercentileMs(50));
            rounds.Add($"{name}, started late by p99, us", 1_000 * stats.ScheduleLag.PercentileMs(99));
            rounds.Add($"{name}, {OnSchedule}", 1_000 * stats.ScheduleLag.PercentileMs(99.9));
        }
        else
        {
            rounds.Add($"{name}, iterations/s", stats.Ok.RatePerSecond);
        }

        return cost;
    }

    /// <summary>The lateness of the machine: 20,000 arrivals a second by a thread that starts nothing.</summary>
    private static void MeasureBareThread(Rounds rounds, TimeSpan duration)
    {
        var lateness = new LatencyHistogram();
        var thread = new Thread(() =>
        {
            var wait = new PreciseWait(new object(), () => false);
            var schedule =
                ArrivalSchedule.Create((OpenSimulation)Simulation.Inject(20_000, TimeSpan.FromSeconds(1), duration));
            var start = Stopwatch.GetTimestamp();
            while (schedule.TryNext(out var offset))
            {
                wait.Until(start + offset);
                lateness.RecordStopwatchTicks(Stopwatch.GetTimestamp() - start - offset);
            }
        }) { Priority = ThreadPriority.AboveNormal };
        thread.Start();
        thread.Join();
        rounds.Add("a thread that starts nothing, 20,000/s, late by p50, us", 1_000 * lateness.PercentileMs(50));
        rounds.Add("a thread that starts nothing, 20,000/s, late by p99.9, us", 1_000 * lateness.PercentileMs(99.9));
    }

    private static async Task<IResponse> StepsAsync(IScenarioContext context, int count)
    {
        for (var step = 1; step < count; step++)
        {
            await Step.Run("step", context, static () => s_ok);
        }

        return await Step.Run("step", context, static () => s_ok);
    }

    private static async Task<IResponse> YieldingStepsAsync(IScenarioContext context)
    {
        await Step.Run("first", context, YieldAsync);
        await Step.Run("second", context, YieldAsync);
        return await Step.Run("third", context, YieldAsync);
    }

    private static async Task<IResponse> YieldAsync()
    {
        await Task.Yield();
        return Response.Ok();
    }
}
