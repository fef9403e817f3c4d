namespace Foundation;

/// <summary>
/// Disposes of a new object if its preparation fails. Continuations run in the context of the caller, as those of the
/// engine do.
/// </summary>
public static class Preparation
{
    /// <summary>Prepares a new object and returns it.</summary>
    public static Task<T> PreparedAsync<T>(this T made, Func<T, Task> prepare)
        where T : IAsyncDisposable => made.OrDisposeAsync(async one =>
        {
            await prepare(one).ConfigureAwait(true);
            return one;
        });

    /// <summary>Creates a result that owns the new object.</summary>
    public static async Task<TResult> OrDisposeAsync<T, TResult>(this T made, Func<T, Task<TResult>> make)
        where T : IAsyncDisposable
    {
        try
        {
            return await make(made).ConfigureAwait(true);
        }
        catch
        {
            await made.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }
}
