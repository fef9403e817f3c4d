namespace Foundation;

/// <summary>
/// Who makes something and prepares it disposes of it when the preparation fails. It goes on in the context of its caller, as the engine
/// does.
/// </summary>
public static class Preparation
{
    /// <summary>Prepares what was just made, and gives it back.</summary>
    public static Task<T> PreparedAsync<T>(this T made, Func<T, Task> prepare)
        where T : IAsyncDisposable => made.OrDisposeAsync(async one =>
        {
            await prepare(one).ConfigureAwait(true);
            return one;
        });

    /// <summary>Makes something of what was just made, which the result owns then.</summary>
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
