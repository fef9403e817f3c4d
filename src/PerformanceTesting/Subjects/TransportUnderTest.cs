using LoadTesting.Core.Load.Events;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>
/// A transport with the instrument's consumers and awaiter, and no engine: what is left of an event's way when the
/// system under test costs nothing.
/// </summary>
public sealed class TransportUnderTest : IAsyncDisposable
{
    private const string Stream = "null";
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private static readonly JsonElement Output =
        JsonSerializer.SerializeToElement(new { answer = new { approved = true } });

    private readonly EventAwaiter _awaiter = new();
    private EventBus _bus = null!;
    private IEventPublisher _publisher = null!;
    private long _published;

    private TransportUnderTest()
    {
    }

    /// <summary>What was awaited, and what came.</summary>
    public EventAwaiterCounts Counts => _awaiter.Snapshot();

    /// <param name="start">Starts it with what it is to call for each event.</param>
    public static async Task<TransportUnderTest> StartAsync(Func<Action<IntegrationEvent, long>, Task<EventBus>> start)
    {
        var subject = new TransportUnderTest();
        subject._bus =
            await start((received, ticks) => subject._awaiter.Observe(received.Type, received.CorrelationKey!, ticks));
        subject._publisher = subject._bus.Publisher;
        return subject;
    }

    /// <summary>The bus's publisher, for an engine.</summary>
    public IEventPublisher Publisher => _publisher;

    public EventWait Expect(string correlationKey) =>
        _awaiter.Register(nameof(InstanceCompleted), correlationKey, Deadline);

    /// <summary>Publishes a completion; the wait for it ends with its consumer's callback.</summary>
    public async Task<EventWait> PublishAsync(CancellationToken cancellationToken)
    {
        var number = Interlocked.Increment(ref _published);
        var completed = Completed(number);
        var wait = Expect(completed.CorrelationKey!);
        await _publisher.PublishAsync(completed, cancellationToken);
        return wait;
    }

    /// <returns>Monotonic ticks of the first line of the consumer's callback.</returns>
    /// <exception cref="InvalidOperationException">The event did not arrive within 30 s.</exception>
    public static async Task<long> ArrivalAsync(EventWait wait, CancellationToken cancellationToken)
    {
        var arrival = await wait.Arrival.WaitAsync(cancellationToken);
        return arrival.IsLost
            ? throw new InvalidOperationException($"{wait.Type} of {wait.Id} did not reach its consumer within "
                + $"{Deadline.TotalSeconds} s: an event was lost, so there is no rate.")
            : arrival.Timestamp;
    }

    /// <exception cref="InvalidOperationException">
    /// Not every event that was waited for came, once, and no other.
    /// </exception>
    public void RequireBalance(long expected)
    {
        var counts = Counts;
        if (counts.Matched != expected || counts.Observed != expected || counts.Registered != expected)
        {
            throw new InvalidOperationException(
                $"{expected} events were to come, but {counts} were counted: "
                    + "the ledger does not balance, so there is no rate.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _bus.DisposeAsync();
        _awaiter.Dispose();
    }

    /// <summary>With every member set that an engine sets, so that it weighs the same.</summary>
    private static InstanceCompleted Completed(long number)
    {
        var utc = TimeProvider.System.GetUtcNow();
        var ticks = Stopwatch.GetTimestamp();
        return new InstanceCompleted
        {
            Id = $"{Stream}-{number}",
            InstanceId = Guid.CreateVersion7(),
            Definition = "signal-roundtrip",
            DefinitionVersion = 1,
            CorrelationKey = Guid.CreateVersion7().ToString(),
            Output = Output,
            Timestamps = new()
            {
                AcceptedUtc = utc,
                ExecutedUtc = utc,
                CommittedUtc = utc,
                PublishedUtc = utc,
                AcceptedTicks = ticks,
                ExecutedTicks = ticks,
                CommittedTicks = ticks,
                PublishedTicks = ticks,
                TicksPerSecond = Stopwatch.Frequency,
                BootId = Stream,
            },
        };
    }
}
