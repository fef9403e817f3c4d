using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Events;
using Workflow.Engine.Events;

namespace UnitTests.Workflow.Engine;

public sealed class EventRelayTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private static readonly EventTimestamps Stamps = new()
    {
        AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1,
        BootId = "test",
    };

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Calls_begin_in_order_up_to_the_publisher_limit(int window)
    {
        var publisher = new HeldPublisher(window);
        await using var relay = new RunningRelay(publisher, Enumerable.Range(1, 10).Select(Event));

        for (var ended = 0; ended < 10; ended++)
        {
            // The first of a type is alone.
            await publisher.BegunAsync(ended == 0 ? 1 : Math.Min(ended + window, 10));
            Assert.Equal(ended, relay.Relay.Published);
            publisher.End(ended + 1);
            await relay.PublishedAsync(ended + 1);
        }

        Assert.Equal(Enumerable.Range(1, 10), publisher.Begun);
    }

    [Fact]
    public async Task Event_whose_call_fails_is_repeated()
    {
        var publisher = new HeldPublisher(3);
        await using var relay = new RunningRelay(publisher, Enumerable.Range(1, 4).Select(Event));
        await publisher.BegunAsync(1);
        publisher.End(1);

        await publisher.BegunAsync(4);
        publisher.End(3);
        publisher.End(4);
        publisher.Fail(2);
        await publisher.BegunAsync(5);
        Assert.Equal(1, relay.Relay.Published);
        publisher.End(2);
        await relay.PublishedAsync(4);

        Assert.Equal([1, 2, 3, 4, 2], publisher.Begun);
    }

    [Fact]
    public async Task Event_of_another_type_waits_for_all_before_it()
    {
        var publisher = new HeldPublisher(3);
        await using var relay =
            new RunningRelay(publisher, [Event(1), Event(2), Event(3), Received(4), Event(5), Event(6)]);

        foreach (var (ended, begun) in new[] { (0, 1), (1, 3), (2, 3), (3, 4), (4, 6) })
        {
            await publisher.BegunAsync(begun);
            publisher.End(ended + 1);
            await relay.PublishedAsync(ended + 1);
        }

        Assert.Equal(Enumerable.Range(1, 6), publisher.Begun);
    }

    /// <summary>The caller sends its next command during the publication, which must not delay it.</summary>
    [Fact]
    public async Task Caller_is_answered_before_events_are_published()
    {
        var publisher = new HeldPublisher(1);
        var runtime =
            EngineRuntime.OfProcess with { Scheduler = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler };
        await using var relay = new RunningRelay(publisher, [], runtime);
        await runtime.Run(() => Task.CompletedTask);

        var begun = -1;
        await runtime.Run(async () =>
        {
            relay.Log.Append([Event(1)]);
            await Task.Yield();
            begun = publisher.Begun.Count;
        });

        Assert.Equal(0, begun);
        await publisher.BegunAsync(1);
    }

    private static IntegrationEvent Event(int sequence) =>
        new SignalExpired { Id = $"0-{sequence}", Name = "go", Reason = "test", Timestamps = Stamps };

    private static IntegrationEvent Received(int sequence) =>
        new SignalReceived { Id = $"0-{sequence}", Name = "go", Timestamps = Stamps };

    /// <summary>A relay over a log that holds some events.</summary>
    private sealed class RunningRelay : IAsyncDisposable
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _running;

        public RunningRelay(
            IEventPublisher publisher, IEnumerable<IntegrationEvent> events, EngineRuntime? runtime = null)
        {
            runtime ??= EngineRuntime.OfProcess;
            Log.Append([.. events]);
            Relay = new EventRelay(Log, publisher, TimeProvider.System, runtime, NullLogger.Instance, () => { });
            _running = runtime.Run(() => Relay.RunAsync(_stop.Token));
        }

        public EventLog Log { get; } = new(0, window: 64, maxSize: 1_000_000, new InMemoryStore());

        public EventRelay Relay { get; }

        public Task PublishedAsync(long sequence) =>
            Eventually.HoldsAsync(() => Relay.Published >= sequence, $"event {sequence}");

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _stop.Dispose();
        }
    }

    /// <summary>Holds each call until the test ends it.</summary>
    private sealed class HeldPublisher(int window) : IEventPublisher
    {
        private readonly ConcurrentDictionary<int, TaskCompletionSource> _held = new();
        private readonly ConcurrentQueue<int> _begun = new();
        private readonly SemaphoreSlim _calls = new(0);
        private int _seen;

        public int Window => window;
        public IReadOnlyCollection<int> Begun => _begun;

        public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            var number = int.Parse(integrationEvent.Id.AsSpan(2), System.Globalization.CultureInfo.InvariantCulture);
            var held = _held[number] = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _begun.Enqueue(number);
            _calls.Release();
            return held.Task.WaitAsync(cancellationToken);
        }

        /// <summary>Waits until exactly the given number of calls have begun.</summary>
        public async Task BegunAsync(int count)
        {
            for (; _seen < count; _seen++)
            {
                Assert.True(await _calls.WaitAsync(Limit, Cancel));
            }

            Assert.Equal(count, _begun.Count);
        }

        public void End(int number) => _held[number].SetResult();
        public void Fail(int number) => _held[number].SetException(new IOException("gone"));
    }
}
