using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Pacing;
using LoadTesting.Core.Load.Recording;
using LoadTesting.Core.Load.Timelines;
using LoadTesting.Core.Load.Watches;

namespace Benchmarks;

/// <summary>
/// What the timeline costs: processor time of recording the same iterations by the second, with all that is added up
/// and read once a second, and of recording them in one sum. Each round has both twice, in the order without, with,
/// with, without, so that a drift of the machine falls on both, and a whole no-op iteration of a closed load, of which
/// the difference is a share. Time is made up, as many iterations to the second as that load has: nothing is waited
/// for, and only recording is timed.
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
        var meter = new StepMeter(isOpen: false);
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
            : throw new InvalidOperationException($"{(long)seconds * perSecond} were recorded, "
                + $"{recorded} counted and {shown} shown.");
    }

    private static void Record(StepMeter meter, MadeUpClock clock, int iterations)
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
