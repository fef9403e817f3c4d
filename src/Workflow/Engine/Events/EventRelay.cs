namespace Workflow.Engine.Events;

/// <summary>Publishes one stream to one publisher in order, and repeats failed calls with increasing pauses.</summary>
internal sealed class EventRelay(
    EventLog log, IEventPublisher publisher, TimeProvider time, EngineRuntime runtime, ILogger logger,
    Action progressed)
{
    private const int BatchSize = 256;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);
    private readonly Lock _gate = new();
    private readonly Queue<long> _ends = new();

    // The types with a completed call, and the type of the last call.
    private readonly HashSet<Type> _opened = [];
    private Type? _lastType;
    private long _published;

    public long Published => Interlocked.Read(ref _published);

    /// <summary>Instances whose last event was published.</summary>
    public InFlightTerm Left { get; } = new();

    /// <summary>
    /// Records instances that have ended. Each leaves when its last event is published, or immediately if it is
    /// already.
    /// </summary>
    /// <param name="sequences">The sequence of the last event of each instance, ascending.</param>
    /// <param name="lastCommitted">The last event of the stream. An instance that ended without an event leaves with
    /// it.</param>
    public void ExpectEnds(IReadOnlyList<long> sequences, long lastCommitted)
    {
        lock (_gate)
        {
            foreach (var sequence in sequences)
            {
                _ends.Enqueue(Math.Min(sequence, lastCommitted));
            }

            CountLeft(Published);
        }
    }

    /// <summary>Sets the published position before the lane runs, because every flush stores it.</summary>
    public void Begin(long publishedSequence) => Interlocked.Exchange(ref _published, publishedSequence);

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var changed = log.Changed;
            var end = log.Last;
            if (Published >= end)
            {
                await runtime.WhenEnded(changed, cancellationToken);

                // Let callers of the same commit go first: their next commands form a batch that is stored while these
                // events are published.
                await Task.Yield();
                continue;
            }

            var events = await RetryAsync(
                "read after", Published, () => log.ReadAsync(Published, BatchSize, cancellationToken),
                cancellationToken);
            await PublishAllAsync(events, cancellationToken);
            if (events.Count == 0)
            {
                // The events were trimmed from the store before they were published: nothing is left to publish up to
                // this end.
                Advance(end);
                Log.EventsTrimmed(logger, log.Stream);
            }

            progressed();
        }
    }

    /// <summary>
    /// Starts calls in order, at most as many as the publisher's window. An event counts as published when all events
    /// before it are. A transport has one channel for each type and opens it at the first call. To keep the order,
    /// calls of different types never run at the same time, and the first call of a type runs alone.
    /// </summary>
    private async Task PublishAllAsync(
        IReadOnlyList<(long Sequence, IntegrationEvent Event)> events, CancellationToken cancellationToken)
    {
        var inFlight = new Queue<Task<bool>>();
        for (var (begun, ended) = (0, 0); ended < events.Count; ended++)
        {
            while (begun < events.Count && inFlight.Count < publisher.Window
                && MayBegin(events[begun].Event, inFlight.Count))
            {
                inFlight.Enqueue(PublishAsync(events[begun++].Event, cancellationToken));
            }

            var (sequence, oldest) = events[ended];
            Task<bool>? first = inFlight.Dequeue();
            await RetryAsync("publish", sequence,
                () => new ValueTask<bool>(
                    Interlocked.Exchange(ref first, null) ?? PublishAsync(oldest, cancellationToken)),
                cancellationToken);
            _opened.Add(oldest.GetType());
            Advance(sequence);
        }
    }

    private bool MayBegin(IntegrationEvent next, int inFlight)
    {
        var isOpenedType = next.GetType() == _lastType && _opened.Contains(_lastType);
        if (inFlight > 0 && !isOpenedType)
        {
            return false;
        }

        _lastType = next.GetType();
        return true;
    }

    /// <summary>
    /// Counts the instances that leave before the position changes, so that a reader of the new position sees them.
    /// </summary>
    private void Advance(long sequence)
    {
        lock (_gate)
        {
            CountLeft(sequence);
            Begin(sequence);
        }
    }

    private void CountLeft(long published)
    {
        var leaving = 0;
        while (_ends.TryPeek(out var sequence) && sequence <= published)
        {
            _ends.Dequeue();
            leaving++;
        }

        if (leaving > 0)
        {
            Left.Add(leaving, (Int128)leaving * time.GetTimestamp());
        }
    }

    private Task<bool> PublishAsync(IntegrationEvent next, CancellationToken cancellationToken) =>
        next.TraceParent is null
            ? PublishUntracedAsync(next, cancellationToken)
            : PublishTracedAsync(next, cancellationToken);

    private async Task<bool> PublishUntracedAsync(IntegrationEvent next, CancellationToken cancellationToken)
    {
        await publisher.PublishAsync(Stamp(next), cancellationToken);
        return true;
    }

    private async Task<bool> PublishTracedAsync(IntegrationEvent next, CancellationToken cancellationToken)
    {
        using var span = Tracing.Publish(next);
        try
        {
            return await PublishUntracedAsync(next, cancellationToken);
        }
        catch (Exception e)
        {
            span.Fail(e);
            throw;
        }
    }

    /// <summary>
    /// Repeats a call until it succeeds. Store and transport may be unavailable; only the end of the engine ends the
    /// relay.
    /// </summary>
    private async ValueTask<T> RetryAsync<T>(
        string what, long sequence, Func<ValueTask<T>> call, CancellationToken cancellationToken)
    {
        for (Backoff? backoff = null; ;)
        {
            try
            {
                return await call();
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                backoff ??= new(FirstPause, LongestPause, time);
                Log.RelayFailed(logger, e, what, log.Stream, sequence, backoff.Next.TotalMilliseconds);
                await backoff.PauseAsync(cancellationToken);
            }
        }
    }

    /// <summary>After a recovery, the commit time is unknown, and so are the later times.</summary>
    private IntegrationEvent Stamp(IntegrationEvent next) => next.Timestamps.CommittedTicks is null
        ? next
        : next with
        {
            Timestamps = next.Timestamps with
            {
                PublishedUtc = time.GetUtcNow(), PublishedTicks = time.GetTimestamp(),
            },
        };
}
