namespace Workflow.Engine.Events;

/// <summary>Wakes all waiters at each change. Free of cost while there are no waiters.</summary>
internal sealed class ChangeSignal
{
    private TaskCompletionSource? _waited;

    /// <summary>Completes at the next change. Take it before reading, so that no change in between is missed.</summary>
    public Task Next
    {
        get
        {
            if (Volatile.Read(ref _waited) is { } waited)
            {
                return waited.Task;
            }

            var opened = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return (Interlocked.CompareExchange(ref _waited, opened, null) ?? opened).Task;
        }
    }

    public void Set() => Interlocked.Exchange(ref _waited, null)?.SetResult();
}
