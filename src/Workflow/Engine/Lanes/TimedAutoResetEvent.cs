namespace Workflow.Engine.Lanes;

/// <summary>An auto-reset event with a timeout for one waiter. Any thread may set it.</summary>
internal sealed class TimedAutoResetEvent(TimeProvider time)
{
    private TaskCompletionSource _set = New();

    public void Set()
    {
        // The state that was changed before Set is visible before the waiter can wait again.
        Interlocked.MemoryBarrier();
        Volatile.Read(ref _set).TrySetResult();
    }

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
