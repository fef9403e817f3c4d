namespace Workflow.Stores.MongoDb;

/// <summary>Limits a wait that the driver does not limit.</summary>
internal static class Deadline
{
    /// <exception cref="TimeoutException">The call did not end within the limit; it may still take effect.</exception>
    public static async Task<T> RunAsync<T>(
        Func<CancellationToken, Task<T>> call, TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        using var timer = new CancellationTokenSource(limit, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timer.Token);
        try
        {
            return await call(both.Token).WaitAsync(both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (timer.IsCancellationRequested
            && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException($"No answer within {limit.TotalSeconds:0.#} s.");
        }
    }
}
