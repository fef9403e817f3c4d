using System.Threading.Tasks.Sources;

namespace Workflow.Engine.Events;

/// <summary>The reusable wait of one reader.</summary>
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

    // Changed by the signal under its lock. Readers that are woken together keep their order.
    internal ReaderWait? Previous { get; set; }

    internal ReaderWait? Next { get; set; }

    internal long WaitsAt { get; set; } = Nowhere;

    /// <summary>Waits for the next change after the version. The reader continues on a thread-pool thread.</summary>
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

    /// <summary>Continues this reader, and then all readers behind it, on thread-pool threads.</summary>
    internal void Wake() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    void IThreadPoolWorkItem.Execute()
    {
        // After SetResult, this reader may wait again with another neighbour. Each reader is a separate work item, so
        // that an event for thousands of readers does not delay other work.
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
