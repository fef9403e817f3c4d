namespace Workflow.Stores.MongoDb;

/// <summary>Ends a wait that the driver does not end.</summary>
internal static class Deadline
{
    /// <exception cref="TimeoutException">Nothing came within the limit; what was asked for may still happen.</exception>
    public static async Task<T> RunAsync<T>(Func<CancellationToken, Task<T>> call, TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        using var timer = new CancellationTokenSource(limit, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timer.Token);
        try
        {
            return await call(both.Token).WaitAsync(both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (timer.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException($"No answer within {limit.TotalSeconds:0.#} s.");
        }
    }
}
