using Workflow.Abstractions.Notifications;

namespace Workflow.Engine.Cluster;

/// <summary>
/// Sends messages to the inboxes of other nodes' lanes in groups: while one commit is in flight, the next batch
/// collects.
/// </summary>
/// <param name="progressed">Called after the last answer, when nothing waits any more.</param>
internal sealed class InboxSender(
    IClusterStore store, INotifier notifier, int lanes, Backlog backlog, Action progressed, TimeProvider time,
    EngineRuntime runtime)
    : IAsyncDisposable
{
    private const int MaxBatch = 512;
    private readonly ConcurrentQueue<Envelope> _queue = new();
    private readonly AsyncAutoResetEvent _wake = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;
    private long _position;
    private long _sent;
    private long _triedTicks;
    private volatile bool _hasTried;
    private int _ended;

    public bool IsIdle => backlog.IsAnswered;
    public long Sent => Interlocked.Read(ref _sent);

    /// <summary>
    /// Whether a message was sent within this time, even without success: a failed send may take effect later.
    /// </summary>
    public bool HasTriedWithin(TimeSpan span) =>
        _hasTried && time.GetElapsedTime(Interlocked.Read(ref _triedTicks)) < span;

    public void Start() => _loop = runtime.Run(RunAsync);

    /// <summary>Returns a position after all that were returned before.</summary>
    public long NextPosition()
    {
        while (true)
        {
            var last = Interlocked.Read(ref _position);
            var next = Math.Max(last + 1, time.GetUtcNow().UtcTicks);
            if (Interlocked.CompareExchange(ref _position, next, last) == last)
            {
                return next;
            }
        }
    }

    /// <summary>Sends a message. Returns when it is durable.</summary>
    /// <returns>The stored row of its idempotency key; null if it has none.</returns>
    /// <exception cref="OverloadedException">Too many messages wait to be sent.</exception>
    /// <exception cref="EngineStoppedException">The sender has stopped.</exception>
    public Task<IdempotencyRow?> SendAsync(InboxMessage message)
    {
        backlog.AddFromClient(message.Row.Body.Length);
        var envelope = new Envelope(message);
        _queue.Enqueue(envelope);
        _wake.Set();
        if (Volatile.Read(ref _ended) != 0)
        {
            RefuseAll();
        }

        return envelope.Done.Task;
    }

    public async ValueTask DisposeAsync()
    {
        await runtime.CancelAsync(_stop);
        _wake.Set();
        await _loop;
        _stop.Dispose();

        // Either this call finds a message that arrives at the same moment, or its sender sees that the loop has ended.
        Interlocked.Exchange(ref _ended, 1);
        RefuseAll();
    }

    private void RefuseAll()
    {
        while (_queue.TryDequeue(out var late))
        {
            End([late], one => one.Done.TrySetException(new EngineStoppedException("the command")));
        }
    }

    private void End(IReadOnlyList<Envelope> ended, Action<Envelope> answer)
    {
        foreach (var one in ended)
        {
            backlog.Remove(one.Message.Row.Body.Length);
        }

        foreach (var one in ended)
        {
            answer(one);
            if (backlog.MarkAnswered())
            {
                progressed();
            }
        }
    }

    private async Task RunAsync()
    {
        var batch = new List<Envelope>();
        while (!_stop.IsCancellationRequested || !_queue.IsEmpty)
        {
            batch.Clear();
            while (batch.Count < MaxBatch && _queue.TryDequeue(out var next))
            {
                batch.Add(next);
            }

            if (batch.Count > 0)
            {
                await SendBatchAsync(batch);
            }
            else
            {
                await _wake.WaitAsync();
            }
        }
    }

    private async Task SendBatchAsync(IReadOnlyList<Envelope> batch)
    {
        Interlocked.Exchange(ref _triedTicks, time.GetTimestamp());
        _hasTried = true;
        Action<Envelope> answer;
        try
        {
            var rows = await store.PutAsync([.. batch.Select(e => e.Message)], CancellationToken.None);
            Interlocked.Add(ref _sent, batch.Count);
            foreach (var lane in batch.Select(e => e.Message.Row.Partition % lanes).Distinct())
            {
                notifier.Send(lane);
            }

            var stored = rows.ToDictionary(r => r.Key, StringComparer.Ordinal);
            answer = one => Answer(one, stored);
        }
        catch (Exception e)
        {
            answer = one => one.Done.TrySetException(e as WorkflowException ?? NotPut(e.Message, e));
        }

        backlog.RecordProgress(batch.Count);
        End(batch, answer);
    }

    private static void Answer(Envelope envelope, Dictionary<string, IdempotencyRow> stored)
    {
        if (envelope.Message.Key is not { } key)
        {
            envelope.Done.TrySetResult(null);
        }
        else if (stored.TryGetValue(key.Key, out var row))
        {
            envelope.Done.TrySetResult(row);
        }
        else
        {
            // The key existed and was removed as expired before it was read.
            envelope.Done.TrySetException(NotPut("its idempotency key was removed at the same time.", null));
        }
    }

    private static StoreUnavailableException NotPut(string reason, Exception? inner) => new(
        $"The command could not be put into the inbox of its lane: {reason} Repeat it with the same idempotency key.",
        outcomeUnknown: true, inner);

    private sealed record Envelope(InboxMessage Message)
    {
        public TaskCompletionSource<IdempotencyRow?> Done { get; } = new(
            TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
