using System.Diagnostics;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Load.Stalls;

[Collection(TimedCollection.Name)]
public sealed class StallTests
{
    private static readonly long s_millisecond = Stopwatch.Frequency / 1_000;

    [Fact]
    public Task Closed_load_reports_a_stall_of_the_system() =>
        RealTime.HoldsAsync(async () =>
        {
            var start = Stopwatch.GetTimestamp();
            var result = await Runs.OneAsync(Scenario.Create("frozen", async context =>
            {
                var now = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
                await Task.Delay(now is > 500 and < 1_100 ? 1_100 - (int)now : 4, context.ScenarioCancellationToken);
                return Response.Ok();
            }).WithLoadSimulations(Simulation.KeepConstant(3, TimeSpan.FromSeconds(2))));

            // A busy machine may add, lengthen or cause a stall. The decision on the cause is tested below.
            var stall =
                Assert.Single(result.Stalls, stall => stall.AtMs < 700 && stall.AtMs + stall.DurationMs > 1_000);
            Assert.InRange(stall.DurationMs, 350, 1_500);
            Assert.Equal(3, stall.Iterations);
            Assert.NotEqual(StallCause.Generator, stall.Cause);
        });

    [Fact]
    public Task Slow_but_steady_operations_are_not_a_stall() => RealTime.HoldsAsync(async () =>
        Assert.Empty((await Runs.OneAsync(Scenario.Create("slow", async context =>
        {
            await Task.Delay(400, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.KeepConstant(1, TimeSpan.FromSeconds(1.5))))).Stalls));

    [Theory]
    [InlineData(2, 8, -1, 0)] // Two users who think for 400 ms after each of four operations.
    [InlineData(1, 4, 2, 1)] // One of whose operations takes longer.
    public Task Think_time_is_not_a_stall(int users, int operations, int slow, int stalls) =>
        RealTime.HoldsAsync(async () =>
        {
            var result = await Runs.OneAsync(Scenario.Create("thinking", async context =>
            {
                await Task.Delay(context.IterationNumber == slow ? 700 : 5, context.ScenarioCancellationToken);
                context.RestUntil(Stopwatch.GetTimestamp() + (400 * s_millisecond));
                return Response.Ok();
            }).WithLoadSimulations(Simulation.IterationsForConstant(users, operations)));

            Assert.Equal(stalls, result.Stalls.Count);
            Assert.All(result.Stalls, stall => Assert.InRange(stall.DurationMs, 600, 1_090));
            Assert.InRange(result.Ok.Latency.PercentileMs(50), 4, 350); // What they think is no part of an iteration,
            Assert.InRange(result.Duration.TotalMilliseconds, 1_200, 10_000); // and lasts all the same.
        });

    [Fact]
    public Task Open_load_with_nothing_in_flight_has_no_stall() => RealTime.HoldsAsync(async () =>
        Assert.Empty((await Runs.OneAsync(Runs.Inject(2, TimeSpan.FromSeconds(2), _ => Runs.Ok))).Stalls));

    [Fact]
    public Task Endless_stall_lasts_to_the_end_of_the_run() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(
            Scenario.Create("hung", async context =>
            {
                await Task.Delay(context.IterationNumber < 10 ? 1 : 60_000, context.ScenarioCancellationToken);
                return Response.Ok();
            }).WithLoadSimulations(Simulation.IterationsForConstant(1, 12)),
            new LoadOptions { CompletionTimeout = TimeSpan.FromSeconds(0.6) });

        Assert.True(Assert.Single(result.Stalls).DurationMs >= 500);
    });

    [Fact]
    public void Gap_that_another_processor_fills_is_not_a_stall()
    {
        var finder = new StallFinder();
        finder.BeginAt(0);
        finder.Add(Span(10, 100));
        finder.Add(Span(60, 700));
        finder.Add(Span(650, 900));
        finder.Add(Span(1_400, 1_500));

        Assert.Equal([(900L, 1_400L)],
            finder.LongerThan(0).Select(stall => (stall.From / s_millisecond, stall.To / s_millisecond)));
        Assert.Empty(finder.LongerThan(501 * s_millisecond));
    }

    [Fact]
    public void Time_with_nothing_in_flight_is_not_part_of_a_stall()
    {
        var finder = new StallFinder();
        finder.BeginAt(0);
        finder.Add(Span(10, 100));
        finder.Add(Span(2_000, 2_000) with { BusySince = 1_700 * s_millisecond });
        finder.Add(Span(4_000, 4_000) with { BusySince = 3_900 * s_millisecond });

        Assert.Equal([(1_700L, 2_000L)],
            finder.LongerThan(0).Select(stall => (stall.From / s_millisecond, stall.To / s_millisecond)));
    }

    public static TheoryData<string, bool, StallCause> Evidence => new()
    {
        { "nothing", false, StallCause.System },
        { "nothing", true, StallCause.System },
        { "collector", false, StallCause.Generator },
        { "collector", true, StallCause.Unknown },
        { "process", false, StallCause.Machine },
        { "process", true, StallCause.Machine },
        { "process, busy with this run", true, StallCause.System },
        { "process, busy with this run", false, StallCause.Unknown },
        { "pool", false, StallCause.Generator },
        { "pool", true, StallCause.System },
        { "consumer", false, StallCause.Generator },
        { "consumer", true,
            StallCause.System }, // There the system hands events out, and whoever takes them is its guest.
        { "consumer, a third of it", false, StallCause.Unknown },
        { "consumer, now and then", false, StallCause.System },
        { "consumer, until the stall", false, StallCause.System },
        { "steal", false, StallCause.Machine },
        { "waited for processors", false, StallCause.Machine },
        { "waited for processors", true, StallCause.Machine },
        { "others use the machine", false, StallCause.System },
        { "a third of it", false, StallCause.Unknown },
    };

    [Theory]
    [MemberData(nameof(Evidence))]
    public void Cause_is_what_else_stood_still(string evidence, bool isInProcess, StallCause cause)
    {
        var samples = new LoadSamples(origin: 0);
        foreach (var second in Enumerable.Range(0, 6))
        {
            var used = second * Environment.ProcessorCount;
            samples.AddReading(second * Stopwatch.Frequency, new TimelineReading
            {
                GeneratorCpuSeconds = evidence.Contains("busy", StringComparison.Ordinal) ? 0.9 * used : 0.1 * used,
                StolenCpuSeconds = evidence == "steal" ? 0.7 * used : 0,
                MachineCpuSeconds = evidence == "others use the machine" ? used : 0.2 * used,
                RunDelaySeconds = evidence == "waited for processors" ? 0.7 * used : 0.05 * used,
            });
        }

        Pause? pause = evidence switch
        {
            "collector" => Pause(0, 1_500, PauseKind.Collector),
            "process" or "process, busy with this run" => Pause(0, 1_500, PauseKind.Process),
            "pool" => Pause(0, 1_400, PauseKind.Pool),
            "a third of it" => Pause(0, 500, PauseKind.Process),
            _ => null,
        };
        if (pause is { } seen)
        {
            samples.AddPause(seen);
            samples.AddPause(seen with { Kind = seen.Kind == PauseKind.Collector ? PauseKind.Process : seen.Kind });
        }

        AddConsumer(samples, evidence);

        var stall = new Stall(2_000 * s_millisecond, 3_500 * s_millisecond, 4);

        Assert.Equal(cause, StallBlame.Of(stall, samples, isInProcess));
    }

    [Theory]
    [InlineData(
        2_100, 2_400, "; sessions of the database meanwhile: IO:WALSync 0.90, CPU 0.05")] // Between two readings.
    [InlineData(1_900, 3_100, "; sessions of the database meanwhile: IO:WALSync 0.30, CPU 0.05")]
    [InlineData(4_100, 4_400, "; sessions of the database meanwhile: CPU 0.05")]
    [InlineData(4_900, 5_400, "")] // Nothing was read after it.
    public void Stall_says_what_the_database_sessions_did(int from, int to, string words)
    {
        var samples = new LoadSamples(origin: 0);
        foreach (var second in Enumerable.Range(0, 6))
        {
            samples.AddReading(second * Stopwatch.Frequency, new TimelineReading
            {
                WaitSeconds = new Dictionary<string, double>(StringComparer.Ordinal)
                {
                    ["CPU"] = 0.05 * second, ["Client:ClientRead"] = 0, ["IO:WALSync"] = second > 2 ? 0.9 : 0,
                },
            });
        }

        var stall = new StallResult(from, to - from, 4, StallCause.System)
        {
            Waits = samples.WaitsAround(from * s_millisecond, to * s_millisecond),
        };

        Assert.EndsWith($"4 in flight; cause: system{words}", TimelineText.Sentence(stall), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        700, 0, StallCause.System)] // What threads waited for a processor just before and after is all that is known.
    [InlineData(2_700, 0, StallCause.System)]
    [InlineData(2_700, 0.7, StallCause.Machine)]
    public void Thread_waits_outside_a_stall_do_not_explain_it(int ms, double during, StallCause cause)
    {
        const double Busy = 3; // Threads that wait for a processor, for each one that there is.
        var samples = new LoadSamples(origin: 0);
        for (var second = 0; second < 9; second++)
        {
            var stalled = Math.Clamp(second - 3.2, 0, ms / 1_000.0);
            samples.AddReading(second * Stopwatch.Frequency, new TimelineReading
            {
                GeneratorCpuSeconds = 0.2 * second * Environment.ProcessorCount,
                RunDelaySeconds = ((Busy * (second - stalled)) + (during * stalled)) * Environment.ProcessorCount,
            });
        }

        var stall = new Stall(3_200 * s_millisecond, (3_200 + ms) * s_millisecond, 500);

        Assert.Equal(cause, StallBlame.Of(stall, samples, isSystemInSameProcess: false));
    }

    [Theory]
    [InlineData(10, 10, 1)] // All of each 10 ms,
    [InlineData(10, 9, 1)] // or almost.
    [InlineData(10, 8, 0)]
    [InlineData(10, 0, 0)]
    [InlineData(100, 100, 1)] // The thread that looks was late.
    [InlineData(100, 80, 0)]
    public void Consumer_busy_nine_tenths_of_the_time_is_full(int everyMs, int workedMs, double share)
    {
        var (samples, pauses) = (new LoadSamples(origin: 0), new ConsumerPauses());
        foreach (var tick in Enumerable.Range(0, 1 + (1_000 / everyMs)))
        {
            pauses.Add(tick * everyMs * s_millisecond, TimeSpan.FromMilliseconds(tick * workedMs), samples);
        }

        Assert.Equal(share, samples.LongestPauseShare(0, 1_000 * s_millisecond, PauseKind.Consumer));
    }

    /// <summary>The consumer's work, as it is seen every 10 ms; the stall is from 2,000 to 3,500 ms.</summary>
    private static void AddConsumer(LoadSamples samples, string evidence)
    {
        Func<int, bool> works = evidence switch
        {
            "consumer" => ms => ms is >= 2_100 and < 3_400,
            "consumer, a third of it" => ms => ms is >= 2_000 and < 2_500,
            "consumer, now and then" => ms => ms % 200 < 150, // Three quarters of the time, and it keeps up.
            "consumer, until the stall" => ms => ms < 2_200,
            _ => _ => false,
        };
        var (pauses, worked) = (new ConsumerPauses(), TimeSpan.Zero);
        for (var ms = 0; ms <= 5_000; ms += 10)
        {
            pauses.Add(ms * s_millisecond, worked, samples);
            worked += TimeSpan.FromMilliseconds(works(ms) ? 10 : 0);
        }
    }

    private static Pause Pause(int from, int to, PauseKind kind) =>
        new((2_000 + from) * s_millisecond, (2_000 + to) * s_millisecond, kind);

    private static CompletionSpan Span(int first, int last) => new(first * s_millisecond, last * s_millisecond, 0, 4);
}
