namespace Workflow.Engine.Lanes;

/// <summary>Reads from the store beside the work of a lane.</summary>
internal static class RepeatedRead
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    /// <summary>Repeats a read until the store answers.</summary>
    /// <param name="isOver">Whether the result is not needed any more.</param>
    /// <param name="logFailure">Logs that an attempt has failed, and the milliseconds until the next one.</param>
    /// <returns>Null if the result is not needed any more.</returns>
    /// <exception cref="OperationCanceledException">The lane ends.</exception>
    public static async Task<IReadOnlyList<T>?> UntilAnsweredAsync<T>(
        Func<CancellationToken, Task<IReadOnlyList<T>>> readAsync, Func<bool> isOver,
        Action<Exception, double> logFailure, TimeProvider time, CancellationToken cancellationToken)
    {
        var backoff = new Backoff(FirstPause, LongestPause, time);
        while (!isOver())
        {
            try
            {
                return await readAsync(cancellationToken);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                logFailure(e, backoff.Next.TotalMilliseconds);
            }

            await backoff.PauseAsync(cancellationToken);
        }

        return null;
    }
}
