namespace Workflow.WebService.Endpoints;

/// <summary>
/// Runs what takes processor time, for hostile input up to seconds: one at a time leaves the rest to the engine.
/// </summary>
internal sealed class OneAtATime
{
    private readonly SemaphoreSlim _turn = new(1);

    public Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellationToken) =>
        RunAsync(() => Task.FromResult(work()), cancellationToken);

    public async Task<T> RunAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken);
        try
        {
            // Not on the thread that read the request.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return await work();
        }
        finally
        {
            _turn.Release();
        }
    }
}
