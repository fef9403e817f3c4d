using LoadTesting.Core.Load.Events;

namespace LoadTesting.Core.Load.Operations;

/// <summary>
/// The operations of one load, from the first request until the system is idle again. Tracks the outcome of each
/// request and the completion of each operation. Safe for concurrent use.
/// </summary>
public sealed class OperationBatch(EventAwaiter awaiter, BatchOptions options)
{
    private static readonly TimeSpan DuplicateWatch = TimeSpan.FromMilliseconds(20);

    private readonly ConcurrentDictionary<long, Operation> _open = new();
    private readonly Lock _gate = new();
    private readonly Queue<EventWait> _others = new();
    private readonly Queue<Operation> _left = new();
    private long _begun;

    /// <summary>How far ahead signals are due.</summary>
    public TimeSpan DueAfter => options.DueAfter;

    /// <summary>Number of requested operations; 0 if the batch ends after a time.</summary>
    public int Size => options.Size;

    /// <summary>
    /// Counts and latencies of the operations that are over; of all of them once the batch has settled. A refused
    /// operation is over at once.
    /// </summary>
    public OperationTally Tally { get; } = new(options.DueAfter, options.Shape);

    /// <summary>
    /// Times of a second or longer without a completion between the last iteration and the last completion, which no
    /// iteration sees. Milliseconds from the beginning of the first operation. Their cause is unknown because sampling
    /// has ended by then. Empty until the batch has settled, and if signals are due later.
    /// </summary>
    public IReadOnlyList<StallResult> GapsWhileSettling { get; private set; } = [];

    /// <summary>Begins an operation with a new key and registers the wait for its completion.</summary>
    /// <param name="originTicks">Start of its latency in monotonic ticks; null (the default) for now.</param>
    public Operation Begin(long? originTicks = null)
    {
        var key = $"{options.KeyPrefix}{Guid.CreateVersion7()}";
        var wait = options.CompletionEvent is { } type ? awaiter.Register(type, key, options.Timeout + DueAfter) : null;
        var operation =
            new Operation(Interlocked.Increment(ref _begun) - 1, key, wait, originTicks ?? Stopwatch.GetTimestamp());
        Tally.BeginAt(operation.BeganTicks);
        _open[operation.Number] = operation;
        return operation;
    }

    /// <summary>An open operation by its number in the batch; null if there is none.</summary>
    public Operation? Find(long number) => _open.GetValueOrDefault(number);

    /// <summary>Registers the wait for another event of an operation. It is counted like the completion.</summary>
    public EventWait Expect(string eventType, Operation operation)
    {
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
    /// Sends the request that creates the operation and records its outcome. A failed response is a refusal.
    /// </summary>
    public Task<IResponse> SendAsync(Operation operation, Func<Task<IResponse>> send) =>
        SendAsync(operation, send, response => !response.IsError);

    /// <summary>Sends the request that creates the operation and records its outcome, which may be a refusal.</summary>
    public async Task<TAnswer> SendAsync<TAnswer>(
        Operation operation, Func<Task<TAnswer>> send, Func<TAnswer, bool> isAccepted)
    {
        operation.Outcome = SendOutcome.Unknown;
        try
        {
            var answer = await send().ConfigureAwait(false);
            operation.Outcome = isAccepted(answer) ? SendOutcome.Accepted : SendOutcome.Refused;
            if (operation.Outcome == SendOutcome.Refused)
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

    /// <summary>Completes an operation that ends without an event, at the given monotonic ticks.</summary>
    public void Complete(Operation operation, long ticks)
    {
        operation.CompleteAt(ticks);
        Close(operation);
    }

    /// <summary>
    /// Ends an operation whose completion was seen or is lost. With <see cref="BatchShape.EachAlone"/> waits until the
    /// system is idle; with <see cref="BatchShape.Together"/> keeps the operation until the batch settles.
    /// </summary>
    public async Task EndAsync(Operation operation, CancellationToken cancellationToken)
    {
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
    /// The scenario does nothing more with the operation. With <see cref="BatchShape.Continuous"/>, an operation that
    /// has not ended because a request failed is closed once its completion was seen or is lost.
    /// </summary>
    public void Leave(Operation operation)
    {
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
    /// <param name="isInterrupted">Whether the load ended early: operations without their signal are not
    /// awaited.</param>
    public async Task SettleAsync(CancellationToken cancellationToken, bool isInterrupted = false)
    {
        var began = Stopwatch.GetTimestamp();
        EventWait[] others;
        lock (_gate)
        {
            others = [.. _others];
        }

        var accepted =
            _open.Values.Where(o => o.Outcome == SendOutcome.Accepted && (!isInterrupted || o.PublishedTicks > 0))
            .Select(o => o.CompletionWait).OfType<EventWait>();
        foreach (var wait in (isInterrupted ? accepted : accepted.Concat(others))
            .Where(wait => !wait.Arrival.IsCompleted))
        {
            await wait.Arrival.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        var idle = await IdleAsync(cancellationToken).ConfigureAwait(false);
        await WithdrawAsync(
            [.. _open.Values.Where(o => isInterrupted || o.Outcome == SendOutcome.Unknown).Select(o => o.CompletionWait)
                .Concat(isInterrupted ? others : []).OfType<EventWait>()],
            cancellationToken).ConfigureAwait(false);
        var completed = _open.Values.OrderBy(operation => operation.CompletedTicks ?? long.MaxValue).ToList();
        GapsWhileSettling = DueAfter > TimeSpan.Zero ? [] : Gaps(began, completed);
        foreach (var operation in completed)
        {
            operation.IdleTicks = idle;
            Close(operation);
        }

        if (options.Shape != BatchShape.EachAlone)
        {
            Tally.AddIdle(idle);
        }

        // Duplicates can only be seen by listening a little longer. No phase includes this time.
        await awaiter.WaitForQuietAsync(DuplicateWatch, options.Timeout, cancellationToken).ConfigureAwait(false);
    }

    private List<StallResult> Gaps(long from, IReadOnlyList<Operation> completed)
    {
        var gaps = new List<StallResult>();
        for (var place = 0; place < completed.Count && completed[place].CompletedTicks is { } ticks; place++)
        {
            if (ticks - from >= Stopwatch.Frequency)
            {
                gaps.Add(new StallResult(
                    StopwatchTime.ToMilliseconds(from - Tally.Origin), StopwatchTime.ToMilliseconds(ticks - from),
                    completed.Count - place,
                    StallCause.Unknown));
            }

            from = Math.Max(from, ticks);
        }

        return gaps;
    }

    private Task<long> IdleAsync(CancellationToken cancellationToken)
    {
        // In this order, an operation that ends in between is never counted twice.
        var ended = Tally.Count(SendOutcome.Accepted);
        var open = _open.Values.Count(operation => operation.Outcome == SendOutcome.Accepted);
        return options.WaitForIdleAsync(ended + open, cancellationToken);
    }

    /// <summary>
    /// Withdraws waits of operations that may not have begun or lack their signal. The system is idle, so their
    /// completions have arrived or never will, and none counts as lost.
    /// </summary>
    private static async Task WithdrawAsync(EventWait[] waits, CancellationToken cancellationToken)
    {
        if (waits.Any(wait => !wait.Arrival.IsCompleted))
        {
            // A published event may still be in transit.
            await Task.WhenAny(
                Task.WhenAll(waits.Select(wait => wait.Arrival)),
                Task.Delay(DuplicateWatch, cancellationToken)).ConfigureAwait(false);
            Array.ForEach(waits, wait => wait.Withdraw());
        }
    }

    private void Refuse(Operation operation)
    {
        operation.Outcome = SendOutcome.Refused;
        operation.CompletionWait?.Withdraw();
        Close(operation);
    }

    private void Close(Operation operation)
    {
        if (_open.TryRemove(operation.Number, out _))
        {
            Tally.Add(operation);
        }
    }
}
