namespace Workflow.Engine.Cluster;

/// <summary>Reads the replies to commands of this node while a caller waits for one.</summary>
internal sealed class PendingReplies(IClusterStore store, EngineRuntime runtime, ILogger logger) : IAsyncDisposable
{
    private const int MaxAsked = 500;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan IdleInterval = TimeSpan.FromSeconds(1);
    private readonly ConcurrentDictionary<Guid, TaskCompletionSource<RemoteReply>> _waiting = new();
    private readonly TimedAutoResetEvent _wake = new(runtime.IoTime);
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    public void Start() => _loop = runtime.Run(RunAsync);

    public Task<RemoteReply> Add(Guid message)
    {
        var reply = new TaskCompletionSource<RemoteReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting[message] = reply;
        _wake.Set();
        return reply.Task;
    }

    public void Remove(Guid message) => _waiting.TryRemove(message, out _);

    public async ValueTask DisposeAsync()
    {
        await runtime.CancelAsync(_stop);
        await _loop.ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        foreach (var waiting in _waiting.Values)
        {
            waiting.TrySetException(new StoreUnavailableException(
                "The node stops before the reply to the command has come. It may or may not be committed: repeat it "
                + "with the same idempotency key.", outcomeUnknown: true));
        }

        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (true)
        {
            await _wake.WaitAsync(_waiting.IsEmpty ? IdleInterval : Interval, _stop.Token);
            try
            {
                await FetchAsync();
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                Log.RepliesFailed(logger, e);
            }
        }
    }

    private async Task FetchAsync()
    {
        foreach (var asked in _waiting.Keys.Chunk(MaxAsked))
        {
            foreach (var reply in await store.TakeRepliesAsync(asked, _stop.Token))
            {
                if (_waiting.TryRemove(reply.MessageId, out var waiting))
                {
                    waiting.TrySetResult(RemoteReply.Parse(reply.Body));
                }
            }
        }
    }
}
