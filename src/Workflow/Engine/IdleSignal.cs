namespace Workflow.Engine;

/// <summary>Lets callers wait for a condition that is looked at again whenever something was finished.</summary>
internal sealed class IdleSignal
{
    private volatile TaskCompletionSource? _next;

    public void Progressed() => Interlocked.Exchange(ref _next, null)?.TrySetResult();

    public async Task WaitAsync(Func<bool> holds, CancellationToken cancellationToken)
    {
        while (true)
        {
            var fresh = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var next = Interlocked.CompareExchange(ref _next, fresh, null) ?? fresh;
            if (holds())
            {
                return;
            }

            await next.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
