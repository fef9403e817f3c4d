using Workflow.Abstractions.Notifications;

namespace Workflow.Engine.Cluster;

/// <summary>Sends messages to the inboxes of other nodes' lanes, in groups: one commit is in flight, the next batch collects.</summary>
/// <param name="progressed">Called when nothing waits any more, after the last answer.</param>
internal sealed class InboxSender(
    IClusterStore store, INotifier notifier, int lanes, Backlog backlog, Action progressed, TimeProvider time, EngineRuntime runtime)
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

    /// <summary>Whether messages were put of late, perhaps in vain: a put that failed may have its effect afterwards.</summary>
    public bool HasTriedWithin(TimeSpan span) => _hasTried && time.GetElapsedTime(Interlocked.Read(ref _triedTicks)) < span;

    public void Start() => _loop = runtime.Run(RunAsync);

    /// <summary>A position after all that were returned before.</summary>
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

    /// <summary>Sends a message; returns once it is durable.</summary>
    /// <returns>The stored row of its idempotency key; null when it has none.</returns>
    /// <exception cref="OverloadedException">Too many wait to be sent.</exception>
    /// <exception cref="StoreUnavailableException">The store is unavailable.</exception>
    /// <exception cref="EngineStoppedException">Nothing is sent any more.</exception>
    public Task<IdempotencyRow?> SendAsync(InboxMessage message)
    {
        backlog.AddOfClient(message.Row.Body.Length);
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

        // Either this finds what comes at the same moment, or who has added it finds that this was the end.
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
            backlog.Free(one.Message.Row.Body.Length);
        }

        foreach (var one in ended)
        {
            answer(one);
            if (backlog.Answered())
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

        backlog.Progress(batch.Count);
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
            // It was there, and old enough to be removed before it was read.
            envelope.Done.TrySetException(NotPut("its idempotency key was removed at the same time.", null));
        }
    }

    private static StoreUnavailableException NotPut(string reason, Exception? inner) => new(
        $"The command could not be put into the inbox of its lane: {reason} Repeat it with the same idempotency key.",
        outcomeUnknown: true, inner);

    private sealed record Envelope(InboxMessage Message)
    {
        public TaskCompletionSource<IdempotencyRow?> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
