namespace LoadTesting.Core.Load.Events;

/// <summary>
/// Brings events and those who wait for them together by event type and correlation id, and accounts for every one of them. Register
/// before the request that causes the event; observe on the first line of the consumer's callback. Memory is bounded by
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

    /// <summary>An awaiter that nobody waits on yet.</summary>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="timeProvider">Clock and timer. Its timestamps are what <see cref="Observe(string, string, long, EventSequence?)"/> is
    /// given; those of the default, <see cref="TimeProvider.System"/>, are <see cref="System.Diagnostics.Stopwatch"/> timestamps.</param>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range; the message names it and its value.</exception>
    public EventAwaiter(EventAwaiterOptions? options = null, TimeProvider? timeProvider = null)
    {
        _options = options ?? new EventAwaiterOptions();
        _options.ThrowIfInvalid();
        _timeProvider = timeProvider ?? TimeProvider.System;
        _sequences = new SequenceTracker(_options.MaximumStreams);
        var origin = _timeProvider.GetTimestamp();
        var share = Math.Max(1, (int)Math.Ceiling((double)_options.MaximumEntries / ShardCount));
        _shards = [.. Enumerable.Range(0, ShardCount).Select(_ => new EventShard(
            origin, ToTimestamps(_options.Resolution), ToTimestamps(_options.EarlyRetention), ToTimestamps(_options.Memory), share))];
        _lastActivity = origin;
        _ticker = _timeProvider.CreateTimer(
            static state => ((EventAwaiter)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Begins a wait for one event. Ends at once where the event came early.</summary>
    /// <param name="type">The event's type.</param>
    /// <param name="id">The correlation id.</param>
    /// <param name="timeout">From now; longer than zero.</param>
    /// <exception cref="InvalidOperationException">The same wait is open already, or <see cref="EventAwaiterOptions.MaximumEntries"/> is
    /// reached.</exception>
    public EventWait Register(string type, string id, TimeSpan timeout)
    {
        var key = Key(type, id);
        if (timeout <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, $"The timeout {timeout} of the wait for {type} '{id}' is not longer than zero.");
        }

        // Counted before it can be seen, so that nobody takes the moment between for quiet.
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
    /// Reports an event that was seen now; prefer the form with a timestamp taken on the first line of the consumer's callback.
    /// </summary>
    public void Observe(string type, string id) => Observe(type, id, _timeProvider.GetTimestamp());

    /// <summary>
    /// Reports an event. Ends its wait where there is one, whose outcome is <paramref name="timestamp"/>: the thread on which the waiter
    /// goes on costs the measurement nothing. An event whose timestamp lies after the wait's deadline is late, whatever was noticed first.
    /// </summary>
    /// <param name="type">The event's type.</param>
    /// <param name="id">The correlation id.</param>
    /// <param name="timestamp">When it was seen, on the clock of the time provider
    /// (<see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>).</param>
    /// <param name="sequence">Its place in an ordered stream; null where no order is promised.</param>
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

    /// <summary>Whether this is an event that somebody waits for or has waited for, as far as that is remembered.</summary>
    public bool Knows(string type, string id) => Key(type, id) is var key && ShardOf(key).Knows(key);

    /// <summary>
    /// Events of a type whose id nobody has waited for so far, or no longer when they came: the ones beyond those that were asked for, as
    /// far as they could be kept. Most types are only observed, and nobody waits for any of theirs.
    /// </summary>
    public long Unasked(string type) => _shards.Sum(shard => shard.Unasked(type));

    public EventAwaiterCounts Snapshot()
    {
        var sum = new EventTally();
        foreach (var shard in _shards)
        {
            shard.AddTo(sum);
        }

        var (outOfOrder, untracked) = _sequences.Read();
        return new EventAwaiterCounts
        {
            Registered = sum.Registered,
            Observed = sum.Observed,
            Matched = sum.Matched,
            Lost = sum.Lost,
            Late = sum.Late,
            Duplicate = sum.Duplicate,
            Unmatched = sum.Unmatched,
            OutOfOrder = outOfOrder,
            Withdrawn = sum.Withdrawn,
            Pending = sum.Registered - sum.Matched - sum.Lost - sum.Withdrawn,
            Buffered = sum.Buffered,
            Overflowed = sum.Overflowed,
            Untracked = untracked,
        };
    }

    /// <summary>
    /// Waits until no wait is open and no event has come for <paramref name="quietFor"/>: the end of a run, after which duplicates and
    /// stragglers are no longer expected. Driven by events and one timer, not by polling.
    /// </summary>
    /// <param name="quietFor">How long nothing may come; zero: until no wait is open.</param>
    /// <param name="timeout">The longest to wait.</param>
    /// <returns>True when quiet; false when <paramref name="timeout"/> passed first.</returns>
    public async Task<bool> WaitForQuietAsync(TimeSpan quietFor, TimeSpan timeout, CancellationToken cancellationToken = default)
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

                // To the first moment at which it can be quiet; activity meanwhile only moves that moment.
                await Task.Delay(remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero, _timeProvider, either.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Stops the deadlines: waits that are open stay so. The counts can still be read.</summary>
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

        // Somebody may have registered between the look and the stop, and seen the ticker running.
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

public sealed record EventAwaiterOptions
{
    /// <summary>
    /// How long an event that nobody waits for yet is kept for a later <see cref="EventAwaiter.Register"/>; then it is unmatched. Default
    /// 30 s.
    /// </summary>
    public TimeSpan EarlyRetention { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a matched or lost wait is remembered, so that a further event counts as a duplicate or late and not as unmatched.
    /// Default 30 s; zero: not at all.</summary>
    public TimeSpan Memory { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How much later than its deadline a wait may be found to be over. Default 10 ms. Does not touch what is measured.</summary>
    public TimeSpan Resolution { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// Waits, early events and remembered ones together; some 250 bytes each. Default 1,000,000. Past it
    /// <see cref="EventAwaiter.Register"/> throws and events without a waiter are counted as overflowed.
    /// </summary>
    public int MaximumEntries { get; init; } = 1_000_000;

    /// <summary>Streams whose order is followed. Default 10,000; events of further ones are counted as untracked.</summary>
    public int MaximumStreams { get; init; } = 10_000;

    internal void ThrowIfInvalid()
    {
        ThrowUnless(EarlyRetention > TimeSpan.Zero, nameof(EarlyRetention), EarlyRetention, "longer than zero");
        ThrowUnless(Memory >= TimeSpan.Zero, nameof(Memory), Memory, "not negative");
        ThrowUnless(Resolution >= TimeSpan.FromMilliseconds(1), nameof(Resolution), Resolution, "at least 1 ms");
        ThrowUnless(MaximumEntries >= 1, nameof(MaximumEntries), MaximumEntries, "at least 1");
        ThrowUnless(MaximumStreams >= 0, nameof(MaximumStreams), MaximumStreams, "not negative");
    }

    private static void ThrowUnless(bool isValid, string name, object value, string rule)
    {
        if (!isValid)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} is {value}; it is {rule}.");
        }
    }
}

/// <summary>
/// What became of waits and events. Waits balance: <see cref="Registered"/> = matched + lost + withdrawn + pending. Events balance:
/// <see cref="Observed"/> = matched + late + duplicate + unmatched + buffered + overflowed.
/// </summary>
public sealed record EventAwaiterCounts
{
    public required long Registered { get; init; }
    public required long Observed { get; init; }

    /// <summary>Waits that got their event in time.</summary>
    public required long Matched { get; init; }

    /// <summary>Waits whose timeout passed.</summary>
    public required long Lost { get; init; }

    /// <summary>Events that came after their wait was lost; each is also one of <see cref="Lost"/>.</summary>
    public required long Late { get; init; }

    /// <summary>Events beyond the first for the same type and id.</summary>
    public required long Duplicate { get; init; }

    /// <summary>Events that nobody asked for before their deadline passed, or whose wait had been withdrawn.</summary>
    public required long Unmatched { get; init; }

    /// <summary>Events with a lower number than one seen before in their stream.</summary>
    public required long OutOfOrder { get; init; }

    /// <summary>Waits given up because their request failed.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>Waits that are still open.</summary>
    public required long Pending { get; init; }

    /// <summary>Early events that may still be asked for.</summary>
    public required long Buffered { get; init; }

    /// <summary>
    /// Events that could not be kept because <see cref="EventAwaiterOptions.MaximumEntries"/> was reached: the counts above are then
    /// incomplete.
    /// </summary>
    public required long Overflowed { get; init; }

    /// <summary>Events whose stream was one too many to follow; <see cref="OutOfOrder"/> is then incomplete.</summary>
    public required long Untracked { get; init; }

    /// <summary>What two awaiters saw together.</summary>
    public EventAwaiterCounts Plus(EventAwaiterCounts other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new()
        {
            Registered = Registered + other.Registered,
            Observed = Observed + other.Observed,
            Matched = Matched + other.Matched,
            Lost = Lost + other.Lost,
            Late = Late + other.Late,
            Duplicate = Duplicate + other.Duplicate,
            Unmatched = Unmatched + other.Unmatched,
            OutOfOrder = OutOfOrder + other.OutOfOrder,
            Withdrawn = Withdrawn + other.Withdrawn,
            Pending = Pending + other.Pending,
            Buffered = Buffered + other.Buffered,
            Overflowed = Overflowed + other.Overflowed,
            Untracked = Untracked + other.Untracked,
        };
    }
}

/// <summary>A wait for one event. Made by <see cref="EventAwaiter.Register"/> before the request that causes the event.</summary>
public sealed class EventWait
{
    private readonly EventAwaiter _owner;
    private readonly EventEntry _entry;

    internal EventWait(EventAwaiter owner, EventEntry entry) => (_owner, _entry) = (owner, entry);

    public string Type => _entry.Key.Type;
    public string Id => _entry.Key.Id;

    /// <summary>Ends with the event or with the timeout; a timeout is an outcome, not an exception. Continuations run on the thread pool,
    /// never on the consumer's thread.</summary>
    public Task<EventArrival> Arrival => _entry.Arrival!.Task;

    /// <summary>
    /// Gives up the wait, because its request failed and no event is to come: it is then neither matched nor lost, and
    /// <see cref="Arrival"/> is cancelled. Without effect once it has ended.
    /// </summary>
    public void Withdraw() => _owner.Withdraw(_entry);
}

/// <summary>How a wait for an event ended.</summary>
/// <param name="IsLost">True where the timeout passed first.</param>
/// <param name="Timestamp">When the event was seen: the monotonic timestamp its consumer took, to be given to <c>Response.Ok(endTimestamp:
/// ...)</c> or <c>RecordStep</c>. When lost, the deadline.</param>
public readonly record struct EventArrival(bool IsLost, long Timestamp);
