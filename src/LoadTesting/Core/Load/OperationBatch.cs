using LoadTesting.Core.Load.Events;

namespace LoadTesting.Core.Load;

/// <summary>What became of the request that makes an operation exist.</summary>
public enum SendOutcome
{
    NotSent,

    /// <summary>It was acknowledged.</summary>
    Accepted,

    /// <summary>It was refused, and has no effect.</summary>
    Refused,

    /// <summary>Not known: a time-out, or an error that leaves it open.</summary>
    Unknown,
}

/// <summary>When the system is idle: what <c>signalToCompletion</c> and <c>drainToIdle</c> end with.</summary>
public enum BatchShape
{
    /// <summary>All operations are one batch, and the system is idle once, at its end.</summary>
    Together,

    /// <summary>Each operation is a batch of its own: the next begins when the system is idle again.</summary>
    EachAlone,

    /// <summary>
    /// Operations follow one another for as long as the load lasts. There is no idle moment but the last, to which a phase would measure
    /// the length of the run, so <c>signalToCompletion</c> is not measured; and nothing is kept of an operation that is over, so that it
    /// may last for hours.
    /// </summary>
    Continuous,
}

/// <summary>What a batch is made of.</summary>
public sealed record BatchOptions
{
    /// <summary>Type of the event that ends an operation; null where the scenario calls <see cref="OperationBatch.Complete"/>.</summary>
    public string? CompletionEvent { get; init; }

    /// <summary>Operations that are asked for; 0 where a time ends the batch and not a number.</summary>
    public int Size { get; init; }

    /// <summary>How far ahead signals are due. Default: at once.</summary>
    public TimeSpan DueAfter { get; init; }

    /// <summary>How long an event is waited for from the operation's beginning, or from the moment it is due. Default 30 s.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>When the system is idle. Default: once, at the end.</summary>
    public BatchShape Shape { get; init; } = BatchShape.Together;

    /// <summary>
    /// Waits until the system has nothing left to do for so many accepted operations, and gives the monotonic ticks of that moment.
    /// </summary>
    public required Func<long, CancellationToken, Task<long>> WaitForIdleAsync { get; init; }

    /// <summary>Whether an error says that a request has no effect. Default: none does.</summary>
    public Func<Exception, bool> IsRefusal { get; init; } = _ => false;

    /// <summary>What the keys of its operations begin with, where several batches run at the same time. Default: nothing.</summary>
    public string KeyPrefix { get; init; } = "";
}

/// <summary>One operation of a batch, by the correlation key that its events carry.</summary>
public sealed class Operation(long number, string key, EventWait? completion, long beganTicks)
{
    /// <summary>Its place in the batch, from 0.</summary>
    public long Number => number;

    public string Key => key;

    /// <summary>The wait for the event that ends the operation, registered before anything was sent.</summary>
    /// <exception cref="InvalidOperationException">The batch names no such event.</exception>
    public EventWait Completion =>
        completion ?? throw new InvalidOperationException($"Operation '{key}' ends without an event: its scenario completes it.");

    /// <summary>Monotonic ticks just before the operation's first request, or of its intended start in an open model.</summary>
    public long BeganTicks => beganTicks;

    /// <summary>Monotonic ticks just before the signal's publish leaves; 0 without one.</summary>
    public long PublishedTicks { get; set; }

    /// <summary>Monotonic ticks at which the system was idle after it; 0 until then.</summary>
    public long IdleTicks { get; set; }

    /// <summary>What became of the request that makes the operation exist.</summary>
    public SendOutcome Outcome { get; set; } = SendOutcome.NotSent;

    /// <summary>Monotonic ticks at which it completed; null where that was not seen.</summary>
    public long? CompletedTicks => _completedTicks ?? (Arrived is { IsLost: false } arrival ? arrival.Timestamp : null);

    /// <summary>Monotonic ticks at which its completion was given up; null where it was not.</summary>
    internal long? LostTicks => Arrived is { IsLost: true } lost ? lost.Timestamp : null;

    private EventArrival? Arrived =>
        completion?.Arrival is { IsCompletedSuccessfully: true } ended ? ended.GetAwaiter().GetResult() : null;

    private long? _completedTicks;

    internal EventWait? CompletionWait => completion;

    internal void CompleteAt(long ticks) => _completedTicks = ticks;
}

/// <summary>
/// The operations of one load, from the first request to the moment the system is idle again: what was begun, what became of each request,
/// which completion was seen, and how long each took. Thread-safe.
/// </summary>
public sealed class OperationBatch(EventAwaiter awaiter, BatchOptions options)
{
    private static readonly TimeSpan DuplicateWatch = TimeSpan.FromMilliseconds(20);

    private readonly ConcurrentDictionary<long, Operation> _open = new();
    private readonly Lock _gate = new();
    private readonly Queue<EventWait> _others = new();
    private readonly Queue<Operation> _left = new();
    private long _begun;
    private long _accepted;
    private long _refused;

    /// <summary>How far ahead signals are due.</summary>
    public TimeSpan DueAfter => options.DueAfter;

    /// <summary>Operations that were asked for; 0 where a time ends the batch and not a number.</summary>
    public int Size => options.Size;

    /// <summary>Operations that the system has refused so far.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>What the operations came to; complete once the batch has settled.</summary>
    public OperationTally Tally { get; } = new(options.DueAfter, options.Shape);

    /// <summary>Begins an operation: its key is new, and its completion is awaited from now on.</summary>
    /// <param name="originTicks">Monotonic ticks that its latency counts from; now when omitted.</param>
    public Operation Begin(long? originTicks = null)
    {
        var key = $"{options.KeyPrefix}{Guid.CreateVersion7()}";
        var wait = options.CompletionEvent is { } type ? awaiter.Register(type, key, options.Timeout + DueAfter) : null;
        var operation = new Operation(Interlocked.Increment(ref _begun) - 1, key, wait, originTicks ?? Stopwatch.GetTimestamp());
        Tally.BeginAt(operation.BeganTicks);
        _open[operation.Number] = operation;
        return operation;
    }

    /// <summary>An operation that was begun and is not over, by its place in the batch; null where there is none.</summary>
    public Operation? Find(long number) => _open.GetValueOrDefault(number);

    /// <summary>Awaits one more event of an operation; it is accounted for like the completion.</summary>
    public EventWait Expect(string eventType, Operation operation)
    {
        ArgumentNullException.ThrowIfNull(operation);
        var wait = awaiter.Register(eventType, operation.Key, options.Timeout);
        lock (_gate)
        {
            while (_others.TryPeek(out var first) && first.Arrival.IsCompleted)
            {
                _others.Dequeue();
            }

            _others.Enqueue(wait);
        }

        return wait;
    }

    /// <summary>
    /// Sends the request that makes the operation exist, and keeps what became of it: a response that is a failure refused it.
    /// </summary>
    public Task<IResponse> SendAsync(Operation operation, Func<Task<IResponse>> send) =>
        SendAsync(operation, send, response => !response.IsError);

    /// <summary>Sends the request that makes the operation exist, and keeps what became of it: its answer may be a refusal too.</summary>
    public async Task<TAnswer> SendAsync<TAnswer>(Operation operation, Func<Task<TAnswer>> send, Func<TAnswer, bool> isAccepted)
    {
        ArgumentNullException.ThrowIfNull(operation);
        ArgumentNullException.ThrowIfNull(send);
        ArgumentNullException.ThrowIfNull(isAccepted);
        operation.Outcome = SendOutcome.Unknown;
        try
        {
            var answer = await send().ConfigureAwait(false);
            operation.Outcome = isAccepted(answer) ? SendOutcome.Accepted : SendOutcome.Refused;
            if (operation.Outcome == SendOutcome.Accepted)
            {
                Interlocked.Increment(ref _accepted);
            }
            else
            {
                Refuse(operation);
            }

            return answer;
        }
        catch (Exception e) when (options.IsRefusal(e))
        {
            Refuse(operation);
            throw;
        }
    }

    /// <summary>The operation came to its end at these monotonic ticks, which no event says.</summary>
    public void Complete(Operation operation, long ticks)
    {
        ArgumentNullException.ThrowIfNull(operation);
        operation.CompleteAt(ticks);
        Close(operation);
    }

    /// <summary>
    /// The operation's completion was seen or is lost. Where each operation is a batch of its own this waits for the system to be idle;
    /// where operations follow one another nothing is kept of it; where they are one batch it is kept until that settles.
    /// </summary>
    public async Task EndAsync(Operation operation, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(operation);
        if (options.Shape == BatchShape.EachAlone)
        {
            operation.IdleTicks = await IdleAsync(cancellationToken).ConfigureAwait(false);
        }

        if (options.Shape != BatchShape.Together)
        {
            Close(operation);
        }

        if (options.Shape == BatchShape.EachAlone)
        {
            Tally.AddIdle(operation.IdleTicks);
        }
    }

    /// <summary>
    /// The scenario does nothing more with the operation, whatever it ended with. Where operations follow one another and this one has not
    /// ended, because a request failed, it is over once its completion was seen or is lost.
    /// </summary>
    public void Leave(Operation operation)
    {
        ArgumentNullException.ThrowIfNull(operation);
        if (options.Shape != BatchShape.Continuous || Find(operation.Number) is null)
        {
            return;
        }

        lock (_gate)
        {
            _left.Enqueue(operation);
            while (_left.TryPeek(out var first) && first.CompletionWait is null or { Arrival.IsCompleted: true })
            {
                Close(_left.Dequeue());
            }
        }
    }

    /// <summary>Waits for every completion and then for the system to be idle.</summary>
    /// <param name="isInterrupted">Whether the load ended before its time: an operation without its signal is not waited for.</param>
    public async Task SettleAsync(CancellationToken cancellationToken, bool isInterrupted = false)
    {
        EventWait[] others;
        lock (_gate)
        {
            others = [.. _others];
        }

        var accepted = _open.Values.Where(o => o.Outcome == SendOutcome.Accepted && (!isInterrupted || o.PublishedTicks > 0))
            .Select(o => o.CompletionWait).OfType<EventWait>();
        foreach (var wait in (isInterrupted ? accepted : accepted.Concat(others)).Where(wait => !wait.Arrival.IsCompleted))
        {
            await wait.Arrival.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        var idle = await IdleAsync(cancellationToken).ConfigureAwait(false);
        await WithdrawAsync(
            [.. _open.Values.Where(o => isInterrupted || o.Outcome == SendOutcome.Unknown).Select(o => o.CompletionWait)
                .Concat(isInterrupted ? others : []).OfType<EventWait>()],
            cancellationToken).ConfigureAwait(false);
        foreach (var operation in _open.Values.OrderBy(operation => operation.CompletedTicks ?? long.MaxValue))
        {
            operation.IdleTicks = idle;
            Close(operation);
        }

        if (options.Shape != BatchShape.EachAlone)
        {
            Tally.AddIdle(idle);
        }

        // A duplicate can only be seen by listening on for a moment; this is no part of any phase.
        await awaiter.WaitForQuietAsync(DuplicateWatch, options.Timeout, cancellationToken).ConfigureAwait(false);
    }

    private Task<long> IdleAsync(CancellationToken cancellationToken) =>
        options.WaitForIdleAsync(Interlocked.Read(ref _accepted), cancellationToken);

    /// <summary>
    /// Whether an operation without an answer began is not known, and one that lacks its signal waits for good. While the system is idle
    /// their completions have come or will not, and none is lost.
    /// </summary>
    private static async Task WithdrawAsync(EventWait[] waits, CancellationToken cancellationToken)
    {
        if (waits.Any(wait => !wait.Arrival.IsCompleted))
        {
            // An event that the system has handed out is in transit for a moment.
            await Task.WhenAny(
                Task.WhenAll(waits.Select(wait => wait.Arrival)), Task.Delay(DuplicateWatch, cancellationToken)).ConfigureAwait(false);
            Array.ForEach(waits, wait => wait.Withdraw());
        }
    }

    private void Refuse(Operation operation)
    {
        operation.Outcome = SendOutcome.Refused;
        operation.CompletionWait?.Withdraw();
        Interlocked.Increment(ref _refused);
        if (options.Shape == BatchShape.Continuous)
        {
            Close(operation);
        }
    }

    private void Close(Operation operation)
    {
        if (_open.TryRemove(operation.Number, out _))
        {
            Tally.Add(operation);
        }
    }
}
