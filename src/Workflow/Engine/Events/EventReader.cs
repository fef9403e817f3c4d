using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Workflow.Engine.Events;

/// <summary>Merges the streams of an engine for one reader.</summary>
internal static class EventReader
{
    private const int BatchSize = 256;

    public static async IAsyncEnumerable<PositionedEvent> ReadAsync(
        IReadOnlyList<EventLog> logs,
        ReaderSignal anyGrew,
        EventPosition position,
        Func<IDisposable?> follow,
        CancellationToken stop,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, cancellationToken);
        using var following = follow();
        using var wait = new ReaderWait(anyGrew, both.Token);
        while (!stop.IsCancellationRequested)
        {
            var found = false;
            var version = anyGrew.Version;
            foreach (var log in logs)
            {
                // From memory without a list: thousands of readers each take one event at a time.
                for (var read = 0; read < BatchSize && log.TryReadNext(position, out var next); read++)
                {
                    found = true;
                    position = next.Position;
                    yield return next;
                }

                if (log.Last <= position[log.Stream])
                {
                    continue;
                }

                foreach (var (sequence, next) in await log.ReadAsync(position[log.Stream], BatchSize, both.Token))
                {
                    found = true;
                    var missed = sequence - position[log.Stream] - 1;
                    position = position.With(log.Stream, sequence);
                    yield return new(next, position, missed);
                }
            }

            if (!found)
            {
                await wait.ForAsync(version);
            }
        }
    }
}

/// <summary>
/// Wakes all readers that wait, at each change of any log. Each waits at a place of its own that it uses again and again: what thousands
/// would allocate for every event lives until the next one, and the garbage collector would move it and find it dead.
/// </summary>
internal sealed class ReaderSignal
{
    private readonly Lock _gate = new();
    private ReaderWait? _first;
    private ReaderWait? _last;
    private long _version;

    /// <summary>Changes until now. Take it before reading, so that no change in between is missed.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>Takes as long for thousands as for one: whoever is woken first wakes the next.</summary>
    public void Set()
    {
        ReaderWait? first;
        lock (_gate)
        {
            Volatile.Write(ref _version, _version + 1);
            first = _first;
            _first = _last = null;
        }

        first?.Wake();
    }

    /// <summary>Adds who waits, unless something has changed since.</summary>
    internal bool TryAdd(ReaderWait wait, long version, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_version != version || cancellationToken.IsCancellationRequested)
            {
                return false;
            }

            (wait.WaitsAt, wait.Previous, wait.Next) = (version, _last, null);
            _ = _last is null ? _first = wait : _last.Next = wait;
            _last = wait;
            return true;
        }
    }

    /// <returns>False when it does not wait, or is being woken.</returns>
    internal bool TryRemove(ReaderWait wait)
    {
        lock (_gate)
        {
            if (wait.WaitsAt != _version)
            {
                return false;
            }

            wait.WaitsAt = ReaderWait.Nowhere;
            _ = wait.Previous is null ? _first = wait.Next : wait.Previous.Next = wait.Next;
            _ = wait.Next is null ? _last = wait.Previous : wait.Next.Previous = wait.Previous;
            return true;
        }
    }
}

/// <summary>Where one reader waits, one wait after the other.</summary>
internal sealed class ReaderWait : IValueTaskSource, IThreadPoolWorkItem, IDisposable
{
    internal const long Nowhere = -1;

    private readonly ReaderSignal _signal;
    private readonly CancellationToken _cancellationToken;
    private readonly CancellationTokenRegistration _cancellation;
    private ManualResetValueTaskSourceCore<bool> _source;

    public ReaderWait(ReaderSignal signal, CancellationToken cancellationToken)
    {
        (_signal, _cancellationToken) = (signal, cancellationToken);
        _cancellation = cancellationToken.UnsafeRegister(static wait => ((ReaderWait)wait!).Cancel(), this);
    }

    // Of the signal, which changes them under its lock. Those that are woken together keep their order.
    internal ReaderWait? Previous { get; set; }

    internal ReaderWait? Next { get; set; }

    internal long WaitsAt { get; set; } = Nowhere;

    /// <summary>Ends at the next change after that version. The reader goes on on a thread of the pool.</summary>
    /// <exception cref="OperationCanceledException">The reader was cancelled.</exception>
    public ValueTask ForAsync(long version)
    {
        _source.Reset();
        var waits = new ValueTask(this, _source.Version);
        if (_signal.TryAdd(this, version, _cancellationToken))
        {
            return waits;
        }

        _cancellationToken.ThrowIfCancellationRequested();
        return default;
    }

    public void Dispose() => _cancellation.Dispose();

    /// <summary>Goes on on a thread of the pool, and so does everyone behind, one after the other on as many threads as are free.</summary>
    internal void Wake() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    void IThreadPoolWorkItem.Execute()
    {
        // Then it may wait again, and have another neighbour. One event for thousands holds nobody up who has something else to do.
        var next = Next;
        (Previous, Next) = (null, null);
        next?.Wake();
        _source.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private void Cancel()
    {
        if (_signal.TryRemove(this))
        {
            _source.SetException(new OperationCanceledException(_cancellationToken));
        }
    }
}
