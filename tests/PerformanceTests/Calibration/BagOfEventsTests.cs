using System.Threading.Channels;
using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Calibration;

/// <summary>
/// A bag of events from which every operation takes whatever lies in it reports other latencies than the target had: a
/// slow operation takes a fast one's event, and the fast one then waits for others'. Both ways of waiting see the same
/// stream; the target's own stamps decide.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class BagOfEventsTests
{
    private const string Bag = "bag";
    private const string Correlated = "correlated";
    private const string Completed = "Completed";
    private const int SlowEvery = 14;
    private const double MisreportOfBag = 0.20;
    private const double ErrorOfOurs = 0.05;

    private static readonly TimeSpan Fast = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Slow = TimeSpan.FromMilliseconds(1_500);

    [Fact]
    public Task Bag_of_events_misreports_a_mixed_stream() => RealTime.HoldsAsync(async () =>
    {
        var (result, target) = await MeasureAsync();

        AgreesWithTheTarget(result, Correlated, target);
        Assert.ThrowsAny<XunitException>(() => AgreesWithTheTarget(result, Bag, target));
        var error = ErrorOf(result, Bag, target);
        Assert.True(
            error > MisreportOfBag, $"The bag's p90 is only {error:P1} off; "
                + $"it was to mislead by more than {MisreportOfBag:P0}.");
    });

    private static void AgreesWithTheTarget(ScenarioStats result, string way, LatencyHistogram target)
    {
        Assert.Equal(target.Count, result.Step(way).Ok.Count);
        var error = ErrorOf(result, way, target);
        Assert.True(error <= ErrorOfOurs,
            $"{way}: p90 is {error:P1} off the target's own {target.PercentileMs(90):0} ms, "
                + $"more than {ErrorOfOurs:P0}.");
    }

    private static double ErrorOf(ScenarioStats result, string way, LatencyHistogram target)
    {
        var (reported, truth) = (result.Step(way).Ok.Service, target);
        TestContext.Current.TestOutputHelper?.WriteLine($"{way}: {Figures(reported)}; target {Figures(truth)}; n {truth.Count}");
        return Math.Abs(reported.PercentileMs(90) - truth.PercentileMs(90)) / truth.PercentileMs(90);
    }

    private static string Figures(LatencyHistogram latency) =>
        $"p50 {latency.PercentileMs(50):0} ms, p90 {latency.PercentileMs(90):0} ms, mean {latency.AverageMs:0} ms";

    private static async Task<(ScenarioStats Result, LatencyHistogram Target)> MeasureAsync()
    {
        var stamps = new LatencyRecorder();
        var run = await QuietMeasurement.TakeAsync(jitterLimitMs: 20, () => RunAsync(stamps = new LatencyRecorder()));
        return (run.Scenarios.Single(), stamps.Snapshot());
    }

    private static async Task<LoadResult> RunAsync(LatencyRecorder stamps)
    {
        using var awaiter = new EventAwaiter();
        var bag = new ConcurrentBag<string>();
        var bus = Channel.CreateUnbounded<string>();
        var consumer = ConsumeAsync(bus.Reader, awaiter, bag);
        var scenario = Scenario.Create("mixed-stream", async context =>
        {
            var id = $"{context.IterationNumber}";
            var wait = awaiter.Register(Completed, id, TimeSpan.FromSeconds(20));
            var target = TargetAsync(context.IterationNumber, stamps, () => Assert.True(bus.Writer.TryWrite(id)));
            await Task.WhenAll(
                Step.Run(Correlated, context,
                    async () => (IResponse)Response.Ok(endTimestamp: (await wait.Arrival).Timestamp)),
                Step.Run(Bag, context, async () =>
                {
                    // The algorithm under accusation, word for word: take any event, or sleep a millisecond and look
                    // again.
                    while (!bag.TryTake(out _))
                    {
                        await Task.Delay(1, context.ScenarioCancellationToken);
                    }

                    return (IResponse)Response.Ok();
                }),
                target);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.Inject(60, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(4)));
        var run = await new LoadRunner().RunAsync([scenario], new LoadOptions(), Cancel);
        bus.Writer.Complete();
        await consumer;
        return run;
    }

    /// <summary>One consumer for both, with a stamp of its own.</summary>
    private static async Task ConsumeAsync(
        ChannelReader<string> events, EventAwaiter awaiter, ConcurrentBag<string> bag)
    {
        await foreach (var id in events.ReadAllAsync(Cancel))
        {
            var ticks = Stopwatch.GetTimestamp();
            awaiter.Observe(Completed, id, ticks);
            bag.Add(id);
        }
    }

    /// <summary>One operation in fourteen is slow. The stamps are the target's own.</summary>
    private static async Task TargetAsync(long operation, LatencyRecorder stamps, Action publish)
    {
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(operation % SlowEvery == 0 ? Slow : Fast, Cancel);
        var end = Stopwatch.GetTimestamp();
        stamps.RecordStopwatchTicks(end - start);
        publish();
    }
}
