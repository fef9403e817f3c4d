namespace LoadTesting.Core.Load.Events;

/// <summary>
/// Matches events with waits by event type and correlation id, and counts every event and every wait. Register before
/// the request that causes the event; observe on the first line of the consumer's callback. Memory is bounded by
/// <see cref="EventAwaiterOptions.MaximumEntries"/>. Safe for concurrent use.
/// </summary>
public sealed class EventAwaiter : IDisposable
{
    private const int ShardCount = 16;

    private readonly TimeProvider _timeProvider;
    private readonly EventAwaiterOptions _options;
    private readonly EventShard[] _shards;
    private readonly SequenceTracker _sequences;
    private readonly ITimer _ticker;
    private readonly Lock _idleGate = new();
    private TaskCompletionSource? _idle;
    private long _pending;
    private long _lastActivity;
    private bool _isTicking;

    /// <summary>Creates an awaiter without waits.</summary>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="timeProvider">Clock and timer. <see cref="Observe(string, string, long, EventSequence?)"/> takes
    /// its timestamps; those of the default, <see cref="TimeProvider.System"/>, are
    /// <see cref="System.Diagnostics.Stopwatch"/> timestamps.</param>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range; the message names it and its
    /// value.</exception>
    public EventAwaiter(EventAwaiterOptions? options = null, TimeProvider? timeProvider = null)
    {
        _options = options ?? new EventAwaiterOptions();
        _options.ThrowIfInvalid();
        _timeProvider = timeProvider ?? TimeProvider.System;
        _sequences = new SequenceTracker(_options.MaximumStreams);
        var origin = _timeProvider.GetTimestamp();
        var share = Math.Max(1, (int)Math.Ceiling((double)_options.MaximumEntries / ShardCount));
        _shards = [.. Enumerable.Range(0, ShardCount).Select(_ => new EventShard(
            origin, ToTimestamps(_options.Resolution), ToTimestamps(_options.EarlyRetention),
            ToTimestamps(_options.Memory), share))];
        _lastActivity = origin;
        _ticker = _timeProvider.CreateTimer(
            static state => ((EventAwaiter)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Begins a wait for one event. Completes at once if the event came early.</summary>
    /// <param name="type">The event's type.</param>
    /// <param name="id">The correlation id.</param>
    /// <param name="timeout">From now; longer than zero.</param>
    /// <exception cref="InvalidOperationException">The same wait is open already, or
    /// <see cref="EventAwaiterOptions.MaximumEntries"/> is reached.</exception>
    public EventWait Register(string type, string id, TimeSpan timeout)
    {
        var key = Key(type, id);
        if (timeout <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout,
                $"The timeout {timeout} of the wait for {type} '{id}' is not longer than zero.");
        }

        // Counted before the wait is visible, so that WaitForQuietAsync cannot miss it.
        Interlocked.Increment(ref _pending);
        var isOpen = false;
        try
        {
            (var entry, isOpen) = ShardOf(key).Register(key, _timeProvider.GetTimestamp(), ToTimestamps(timeout));
            StartTicking();
            return new EventWait(this, entry);
        }
        finally
        {
            if (!isOpen)
            {
                EndWaits(1);
            }
        }
    }

    /// <summary>
    /// Reports an event seen now. Prefer the overload with a timestamp taken on the first line of the consumer's
    /// callback.
    /// </summary>
    public void Observe(string type, string id) => Observe(type, id, _timeProvider.GetTimestamp());

    /// <summary>
    /// Reports an event and completes its wait, if there is one, with <paramref name="timestamp"/>, so that the
    /// waiter's scheduling does not affect the measurement. An event whose timestamp is after the wait's deadline is
    /// late, even if the timeout was not noticed yet.
    /// </summary>
    /// <param name="type">The event's type.</param>
    /// <param name="id">The correlation id.</param>
    /// <param name="timestamp">When the event was seen, on the clock of the time provider
    /// (<see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>).</param>
    /// <param name="sequence">Its position in an ordered stream; null if no order is promised.</param>
    public void Observe(string type, string id, long timestamp, EventSequence? sequence = null)
    {
        var key = Key(type, id);
        if (sequence is { } place)
        {
            _sequences.Observe(place);
        }

        var now = _timeProvider.GetTimestamp();
        Volatile.Write(ref _lastActivity, now);
        EndWaits(ShardOf(key).Observe(key, timestamp, now));
        StartTicking();
    }

    /// <summary>Whether a wait for this event is or was registered, as far as it is remembered.</summary>
    public bool Knows(string type, string id) => Key(type, id) is var key && ShardOf(key).Knows(key);

    /// <summary>
    /// Events of a type that no wait was registered for when they came, as far as they could be kept. Most types are
    /// only observed and have no waits at all.
    /// </summary>
    public long CountUnexpected(string type) => _shards.Sum(shard => shard.CountUnexpected(type));

    /// <summary>The counts so far.</summary>
    public EventAwaiterCounts Snapshot()
    {
        var (outOfOrder, untracked) = _sequences.Read();
        return _shards.Select(shard => shard.Read()).Aggregate((sum, shard) => sum.Plus(shard)) with
        {
            OutOfOrder = outOfOrder,
            Untracked = untracked,
        };
    }

    /// <summary>
    /// Waits until no wait is open and no event has arrived for <paramref name="quietFor"/>: the end of a run, after
    /// which duplicates and late events are no longer expected. Does not poll.
    /// </summary>
    /// <param name="quietFor">Required time without events; zero to wait only until no wait is open.</param>
    /// <param name="timeout">The longest time to wait.</param>
    /// <returns>True when quiet; false when <paramref name="timeout"/> passed first.</returns>
    public async Task<bool> WaitForQuietAsync(
        TimeSpan quietFor, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(quietFor, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        var start = _timeProvider.GetTimestamp();
        using var limit = new CancellationTokenSource(timeout, _timeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            while (true)
            {
                await NoneOpen().WaitAsync(either.Token).ConfigureAwait(false);
                var since = Math.Max(start, Volatile.Read(ref _lastActivity));
                var remaining = quietFor - _timeProvider.GetElapsedTime(since);
                if (remaining <= TimeSpan.Zero && Volatile.Read(ref _pending) == 0)
                {
                    return true;
                }

                // Until the earliest moment that can be quiet; new events move it.
                await Task.Delay(remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero, _timeProvider, either.Token)
                    .ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Stops the deadlines: open waits stay open. The counts can still be read.</summary>
    public void Dispose() => _ticker.Dispose();

    internal void Withdraw(EventEntry entry)
    {
        if (ShardOf(entry.Key).Withdraw(entry, _timeProvider.GetTimestamp()))
        {
            EndWaits(1);
        }
    }

    private Task NoneOpen()
    {
        lock (_idleGate)
        {
            if (Volatile.Read(ref _pending) == 0)
            {
                return Task.CompletedTask;
            }

            return (_idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    private void EndWaits(int count)
    {
        if (count == 0 || Interlocked.Add(ref _pending, -count) != 0)
        {
            return;
        }

        lock (_idleGate)
        {
            _idle?.SetResult();
            _idle = null;
        }
    }

    private void StartTicking()
    {
        if (!Volatile.Read(ref _isTicking))
        {
            lock (_ticker)
            {
                _isTicking = true;
                _ticker.Change(_options.Resolution, _options.Resolution);
            }
        }
    }

    private void Tick()
    {
        var now = _timeProvider.GetTimestamp();
        var lost = 0;
        foreach (var shard in _shards)
        {
            lost += shard.Advance(now);
        }

        EndWaits(lost);
        if (_shards.All(shard => shard.IsEmpty()))
        {
            StopTicking();
        }
    }

    private void StopTicking()
    {
        lock (_ticker)
        {
            _isTicking = false;
            _ticker.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        // A wait may have been registered between the check and the stop, and found the ticker running.
        if (!_shards.All(shard => shard.IsEmpty()))
        {
            StartTicking();
        }
    }

    private EventShard ShardOf(EventKey key) => _shards[(key.GetHashCode() & int.MaxValue) % ShardCount];

    private long ToTimestamps(TimeSpan duration) => (long)(duration.TotalSeconds * _timeProvider.TimestampFrequency);

    private static EventKey Key(string type, string id)
    {
        ArgumentException.ThrowIfNullOrEmpty(type);
        ArgumentException.ThrowIfNullOrEmpty(id);
        return new EventKey(type, id);
    }
}
