using System.Threading.Tasks.Sources;

namespace Workflow.Engine.Lanes;

/// <summary>An auto-reset event for one waiter that does not allocate. Any thread may set it.</summary>
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
        // A call of Set between SetResult and this line is not lost: the waiter checks all its conditions after this
        // fence.
        Interlocked.Exchange(ref _state, Idle);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
