namespace Workflow.Engine.Inboxes;

/// <summary>An auto-reset event for one waiter with a longest wait; many threads may set it.</summary>
internal sealed class WakeSignal
{
    private TaskCompletionSource _set = New();

    public void Set() => Volatile.Read(ref _set).TrySetResult();

    /// <summary>Waits until it is set, or for so long. Real time: it paces input and output, whatever clock the engine has.</summary>
    public async Task WaitAsync(TimeSpan atMost, CancellationToken cancellationToken)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var set = _set.Task;
        await Task.WhenAny(set, Task.Delay(atMost, TimeProvider.System, end.Token)).ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        if (set.IsCompleted)
        {
            Volatile.Write(ref _set, New());
        }
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
