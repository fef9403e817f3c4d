using Foundation;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Clients that repeat a request with its key as long as its outcome is unknown.</summary>
internal sealed class IdempotentLoad(EngineSession engine)
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(10);

    /// <summary>An engine on a busy machine may take seconds to recover.</summary>
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(500);

    private readonly ConcurrentDictionary<Guid, bool> _started = new();
    private int _failures;

    /// <summary>How often a request is sent at most.</summary>
    public int Attempts { get; init; } = 50;

    /// <summary>Instances whose start was acknowledged.</summary>
    public IReadOnlyCollection<Guid> Started => [.. _started.Keys];

    /// <summary>Requests never acknowledged.</summary>
    public int Failures => _failures;

    /// <summary>Starts instances whose variable <c>id</c> is c0, c1 and so on.</summary>
    public Task StartsAsync(string definition, int count, CancellationToken cancellationToken) => AllAsync(
        count,
        async i => _started.TryAdd(
            (await engine.StartAsync(definition, $$"""{ "id": "c{{i}}" }""", null, $"start {i}")).Id, true),
        cancellationToken);

    /// <summary>Sends each of them a signal by key, with its number.</summary>
    public Task SignalsAsync(string name, int count, CancellationToken cancellationToken) =>
        AllAsync(count, i => engine.SignalAsync(name, $"c{i}", $"{i}", $"signal {i}"), cancellationToken);

    public async Task<InstanceStarted> StartAsync(
        string definition, string input, string? key, string idempotencyKey, CancellationToken cancellationToken)
    {
        InstanceStarted? started = null;
        await SendAsync(
            async () => started = await engine.StartAsync(definition, input, key, idempotencyKey), cancellationToken);
        return started
            ?? throw new TimeoutException($"The start '{idempotencyKey}' was not acknowledged in {Attempts} attempts.");
    }

    private Task AllAsync(int count, Func<int, Task> send, CancellationToken cancellationToken) =>
        Task.WhenAll(Enumerable.Range(0, count).Select(i => SendAsync(() => send(i), cancellationToken)));

    private async Task SendAsync(Func<Task> send, CancellationToken cancellationToken)
    {
        var backoff = new Backoff(FirstPause, LongestPause, TimeProvider.System);
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await send();
                return;
            }
            catch (WorkflowException e) when (e is StoreUnavailableException or EngineStoppedException)
            {
                if (attempt == Attempts)
                {
                    Interlocked.Increment(ref _failures);
                    return;
                }

                await backoff.PauseAsync(cancellationToken);
            }
        }
    }
}
