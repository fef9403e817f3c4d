using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;

namespace Benchmarks;

/// <summary>What the instrument itself costs: processor time of an iteration that does nothing, and of keeping a schedule.</summary>
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

    private static readonly (string Name, Func<TimeSpan, LoadSimulation> Load, Func<IScenarioContext, Task<IResponse>> Body)[] s_loads =
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
        Rounds rounds, string name, LoadSimulation load, Func<IScenarioContext, Task<IResponse>> body, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create("nothing", body).WithLoadSimulations(load);
        var (cpu, since, before) = (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp(), GC.GetTotalAllocatedBytes(precise: true));
        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
        var (used, real) = (Environment.CpuUsage.TotalTime - cpu, Stopwatch.GetElapsedTime(since));
        var stats = result.Scenarios[0];
        var cost = (used.TotalNanoseconds / stats.Ok.Count, (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / stats.Ok.Count);
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

    /// <summary>The schedule of 20,000 arrivals a second, kept by a thread that starts nothing: the lateness of the machine.</summary>
    private static void MeasureBareThread(Rounds rounds, TimeSpan duration)
    {
        var lateness = new LatencyHistogram();
        var thread = new Thread(() =>
        {
            var wait = new PreciseWait(new object(), () => false);
            var schedule = ArrivalSchedule.Create((OpenSimulation)Simulation.Inject(20_000, TimeSpan.FromSeconds(1), duration));
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

/// <summary>
/// What the timeline costs: processor time of recording the same iterations by the second, with all that is added up and read once a
/// second, and of recording them in one sum. Each round has both twice, in the order without, with, with, without, so that a drift of the
/// machine falls on both, and a whole no-op iteration of a closed load, of which the difference is a share. Time is made up, as many
/// iterations to the second as that load has: nothing is waited for, and only recording is timed.
/// </summary>
internal static class TimelineCost
{
    private const double Limit = 0.01;
    private const string Whole = "no-op iteration, processor time, ns";
    private const string Without = "recorded in one sum, ns";
    private const string With = "recorded by the second, ns";
    private const string Share = "what the timeline adds to a no-op iteration, share";

    private static readonly IResponse s_ok = Response.Ok();

    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        var seconds = Math.Max(1, (int)options.Duration.TotalSeconds);
        var rounds = new Rounds("a no-op iteration with the timeline and without");
        for (var round = -1; round < options.Rounds; round++)
        {
            if (round == 0)
            {
                rounds = new Rounds("a no-op iteration with the timeline and without"); // The one before compiled.
            }

            var whole = await IterationAsync(options.Duration, cancellationToken);
            var perSecond = (int)(1_000_000_000 / whole);
            double[] all =
            [
                InOneSum(seconds, perSecond), await BySecondAsync(seconds, perSecond, cancellationToken),
                await BySecondAsync(seconds, perSecond, cancellationToken), InOneSum(seconds, perSecond),
            ];
            var (without, with) = ((all[0] + all[3]) / 2, (all[1] + all[2]) / 2);
            rounds.Add(Whole, whole);
            rounds.Add(Without, without);
            rounds.Add(With, with);
            rounds.Add(Share, (with - without) / (whole - (with - without)));
        }

        rounds.Print();
        Rounds.Target(Share, rounds.Median(Share), Limit, atLeast: false);
    }

    private static async Task<double> IterationAsync(TimeSpan duration, CancellationToken cancellationToken)
    {
        var done = Task.FromResult<IResponse>(s_ok);
        var scenario = Scenario.Create("nothing", _ => done).WithLoadSimulations(Simulation.KeepConstant(1, duration));
        GC.Collect();
        var cpu = Environment.CpuUsage.TotalTime;
        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
        return (Environment.CpuUsage.TotalTime - cpu).TotalNanoseconds / result.Scenarios[0].Ok.Count;
    }

    private static double InOneSum(int seconds, int perSecond)
    {
        var meter = new Meter(isOpen: false);
        var clock = new MadeUpClock(perSecond);
        for (var second = 0; second < seconds; second++)
        {
            Record(meter, clock, perSecond);
        }

        meter.Close();
        return clock.NanosecondsEach(seconds);
    }

    private static async Task<double> BySecondAsync(int seconds, int perSecond, CancellationToken cancellationToken)
    {
        var clock = new MadeUpClock(perSecond);
        var (source, samples, inFlight) = (new ProcessTimeline(), new LoadSamples(clock.Now), new DrainGate());
        inFlight.Enter();
        var log = new IterationLog(hasSchedule: false, inFlight);
        log.BeginAt(clock.Now);
        for (var second = 0; second < seconds; second++)
        {
            Record(log, clock, perSecond);
            log.Collect(clock.Now);
            samples.AddReading(clock.Now, await source.ReadAsync(cancellationToken));
        }

        inFlight.Leave();
        var recorded = log.Close(clock.Now).Ok.Count;
        var timeline = log.Complete(new ScheduleTally(log.Origin), 0, []).ToResult(null, samples);
        var each = clock.NanosecondsEach(seconds);
        var shown = timeline.Points.Sum(point => point.Completed);
        return recorded == (long)seconds * perSecond && shown == recorded
            ? each
            : throw new InvalidOperationException($"{(long)seconds * perSecond} were recorded, {recorded} counted and {shown} shown.");
    }

    private static void Record(Meter meter, MadeUpClock clock, int iterations)
    {
        for (var iteration = 0; iteration < iterations; iteration++)
        {
            var start = clock.Now;
            meter.Record(start, clock.Next(), 0, s_ok);
        }
    }

    private static void Record(IterationLog log, MadeUpClock clock, int iterations)
    {
        for (var iteration = 0; iteration < iterations; iteration++)
        {
            var start = clock.Now;
            var end = clock.Next();
            log.Record(start, end, end, 0, s_ok);
        }
    }

    /// <summary>Goes on by one iteration at a time, and knows what processor time was used since it began.</summary>
    private sealed class MadeUpClock(int perSecond)
    {
        private readonly long _step = Stopwatch.Frequency / perSecond;
        private readonly TimeSpan _cpu = UsedAfterCollection();

        public long Now { get; private set; } = Stopwatch.GetTimestamp();

        public long Next() => Now += _step;

        public double NanosecondsEach(int seconds) =>
            (Environment.CpuUsage.TotalTime - _cpu).TotalNanoseconds / ((double)seconds * perSecond);

        private static TimeSpan UsedAfterCollection()
        {
            GC.Collect();
            return Environment.CpuUsage.TotalTime;
        }
    }
}
