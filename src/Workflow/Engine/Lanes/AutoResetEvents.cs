using System.Threading.Tasks.Sources;
using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>An auto-reset event for one waiter that allocates nothing; many threads may set it.</summary>
internal sealed class AsyncAutoResetEvent : IValueTaskSource
{
    private const int Idle = 0;
    private const int Raised = 1;
    private const int Waiting = 2;
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };
    private int _state;

    public void Set()
    {
        if (Interlocked.Exchange(ref _state, Raised) == Waiting)
        {
            _core.SetResult(true);
        }
    }

    public ValueTask WaitAsync()
    {
        if (Interlocked.CompareExchange(ref _state, Waiting, Idle) == Idle)
        {
            return new ValueTask(this, _core.Version);
        }

        Interlocked.Exchange(ref _state, Idle);
        return ValueTask.CompletedTask;
    }

    void IValueTaskSource.GetResult(short token)
    {
        _core.GetResult(token);
        _core.Reset();
        // A set between SetResult and here is not lost: the waiter checks all that it waits for after this fence.
        Interlocked.Exchange(ref _state, Idle);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}

/// <summary>An auto-reset event for one waiter with a timeout; many threads may set it.</summary>
/// <param name="time">Measures the timeout.</param>
internal sealed class TimedAutoResetEvent(TimeProvider time)
{
    private TaskCompletionSource _set = New();

    public void Set()
    {
        // What it was set for is visible before the waiter can have begun anew.
        Interlocked.MemoryBarrier();
        Volatile.Read(ref _set).TrySetResult();
    }

    /// <summary>Waits until it is set, at most for the timeout.</summary>
    public async Task WaitAsync(TimeSpan atMost, CancellationToken cancellationToken)
    {
        var set = _set;
        await using (time.CreateTimer(End, set, atMost, Timeout.InfiniteTimeSpan))
        await using (cancellationToken.UnsafeRegister(End, set))
        {
            await set.Task;
        }

        cancellationToken.ThrowIfCancellationRequested();
        Interlocked.Exchange(ref _set, New());

        static void End(object? set) => ((TaskCompletionSource)set!).TrySetResult();
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>Lets callers wait for a condition that is checked again after all progress.</summary>
internal sealed class IdleCondition
{
    private readonly ChangeSignal _progress = new();
    private volatile bool _hasEnded;

    public void Progressed() => _progress.Set();

    /// <summary>Nothing changes any more.</summary>
    public void End()
    {
        _hasEnded = true;
        Progressed();
    }

    /// <exception cref="EngineStoppedException">It ended, and the condition does not hold.</exception>
    public async Task WaitAsync(Func<bool> holds, CancellationToken cancellationToken)
    {
        while (true)
        {
            var next = _progress.Next;
            if (holds())
            {
                return;
            }

            if (_hasEnded)
            {
                throw new EngineStoppedException("what is left");
            }

            await next.WaitAsync(cancellationToken);
        }
    }
}
