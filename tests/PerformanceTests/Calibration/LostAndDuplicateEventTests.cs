using System.Threading.Channels;
using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Calibration;

/// <summary>A target that loses one event and sends another one twice must be found out, to the unit.</summary>
[Trait("Category", "Calibration")]
public sealed class LostAndDuplicateEventTests
{
    private const int Operations = 200;

    private const long LostOperation = 120;

    private const long DoubledOperation = 40;

    private const string Completed = "Completed";

    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(500);

    [Fact]
    public Task One_lost_and_one_duplicated_event_are_counted() => RealTime.HoldsAsync(async () =>
    {
        var (counts, result) = await MeasureAsync(new EventAwaiterOptions());

        TestContext.Current.TestOutputHelper?.WriteLine($"{counts}");
        FindsBoth(counts);
        Assert.Equal((Operations - 1, 1), (result.Ok.Count, result.Fail.Count));
        Assert.Equal("lost", result.Fail.StatusCodes.Single().StatusCode);
    });

    [Fact]
    public async Task Without_a_memory_of_what_was_matched_the_same_check_fails()
    {
        var (counts, _) = await MeasureAsync(new EventAwaiterOptions { Memory = TimeSpan.Zero });

        Assert.ThrowsAny<XunitException>(() => FindsBoth(counts));
    }

    [Fact]
    public void Without_correlation_lost_and_duplicate_cancel_out()
    {
        var events = Channel.CreateUnbounded<string>();
        for (var operation = 0L; operation < Operations; operation++)
        {
            Publish(operation, id => events.Writer.TryWrite(id));
        }

        var received = 0;
        while (received < Operations && events.Reader.TryRead(out _))
        {
            received++;
        }

        // A bag of events that is counted but not correlated: every operation found an event, and none was left over.
        Assert.Equal(Operations, received);
        Assert.False(events.Reader.TryRead(out _));
        Assert.ThrowsAny<XunitException>(() => FindsBoth(Counts(lost: Operations - received, duplicate: 0)));
    }

    private static void FindsBoth(EventAwaiterCounts counts) => Assert.Equal((1, 1), (counts.Lost, counts.Duplicate));

    private static async Task<(EventAwaiterCounts Counts, ScenarioStats Result)> MeasureAsync(
        EventAwaiterOptions options)
    {
        using var awaiter = new EventAwaiter(options);
        var bus = Channel.CreateUnbounded<string>();
        var consumer = ConsumeAsync(bus.Reader, awaiter);
        var run = await new LoadRunner().RunAsync(
            [
                Scenario.Create("events", async context =>
                {
                    var wait = awaiter.Register(Completed, $"{context.IterationNumber}", s_timeout);
                    Publish(context.IterationNumber, id => bus.Writer.TryWrite(id));
                    var arrival = await wait.Arrival;
                    return arrival.IsLost ? Response.Fail("lost") : Response.Ok(endTimestamp: arrival.Timestamp);
                }).WithLoadSimulations(Simulation.IterationsForConstant(8, Operations)),
            ],
            new LoadOptions(),
            Cancel);
        bus.Writer.Complete();
        await consumer;
        Assert.True(await awaiter.WaitForQuietAsync(TimeSpan.Zero, TimeSpan.FromSeconds(10), Cancel));
        return (awaiter.Snapshot(), run.Scenarios.Single());
    }

    private static async Task ConsumeAsync(ChannelReader<string> events, EventAwaiter awaiter)
    {
        await foreach (var id in events.ReadAllAsync(Cancel))
        {
            awaiter.Observe(Completed, id, Stopwatch.GetTimestamp());
        }
    }

    private static void Publish(long operation, Func<string, bool> send)
    {
        var copies = operation switch
        {
            LostOperation => 0,
            DoubledOperation => 2,
            _ => 1,
        };
        for (var copy = 0; copy < copies; copy++)
        {
            Assert.True(send($"{operation}"));
        }
    }

    private static EventAwaiterCounts Counts(long lost, long duplicate) => new()
    {
        Registered = Operations,
        Observed = Operations,
        Matched = Operations - lost,
        Lost = lost,
        Late = 0,
        Duplicate = duplicate,
        Unmatched = 0,
        OutOfOrder = 0,
        Withdrawn = 0,
        Buffered = 0,
        Overflowed = 0,
        Untracked = 0,
    };
}
