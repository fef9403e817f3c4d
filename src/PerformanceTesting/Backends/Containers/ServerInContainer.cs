using Foundation;

namespace PerformanceTesting.Backends.Containers;

/// <summary>What servers in containers share: ready when a query is answered, their log in every error, removed with this object.</summary>
public sealed class ServerInContainer : IAsyncDisposable
{
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private readonly ContainerRequest _request;
    private readonly string _engine;
    private readonly Func<IServerContainer, CancellationToken, Task<string?>> _ask;

    private ServerInContainer(
        IServerContainer container, ContainerRequest request, string engine, Func<IServerContainer, CancellationToken, Task<string?>> ask)
    {
        Container = container;
        _request = request;
        _engine = engine;
        _ask = ask;
    }

    public IServerContainer Container { get; }

    /// <summary>The server for people: container, image, address, engine.</summary>
    public string Description =>
        $"container {Container.Name} of {_request.Image} (host={Container.Host}, port={Container.PortOf(_request.Ports[0])}, {_engine})";

    /// <summary>The first process as this machine numbers it, while it runs and is in reach.</summary>
    public int? ProcessId { get; private set; }

    /// <summary>Starts a container and waits until the server in it answers.</summary>
    /// <param name="request">What to start; the first port is the one that queries go to.</param>
    /// <param name="ask">Asks the server something; gives null when it answered, else what happened.</param>
    /// <param name="cancellationToken">Ends the wait; without it, <see cref="ContainerRequest.ReadyTimeout"/> does.</param>
    /// <exception cref="BackendException">
    /// It ends, or does not answer; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<ServerInContainer> StartAsync(
        IContainerEngine engine,
        ContainerRequest request,
        Func<IServerContainer, CancellationToken, Task<string?>> ask,
        CancellationToken cancellationToken) =>
        await new ServerInContainer(await engine.StartAsync(request, cancellationToken), request, engine.Description, ask)
            .PreparedAsync(server => server.WaitUntilReadyAsync(cancellationToken));

    /// <summary>Ends the server as <c>kill -9</c> does.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        ProcessId = null;
        await Container.KillAsync(cancellationToken);
    }

    /// <summary>Starts a killed server again, on the same port and data, and waits until it answers.</summary>
    /// <exception cref="BackendException">It does not come up.</exception>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        await Container.StartAgainAsync(cancellationToken);
        await WaitUntilReadyAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => Container.DisposeAsync();

    private async Task WaitUntilReadyAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_request.ReadyTimeout);
        var said = "nothing was asked yet";
        try
        {
            while (await AskAsync(limit.Token) is { } problem)
            {
                said = problem;
                var state = await Container.ReadStateAsync(limit.Token);
                if (!state.IsRunning)
                {
                    throw new BackendException(
                        $"{Description} ended with exit code {state.ExitCode}{(state.IsOutOfMemory ? ", out of memory" : "")} "
                            + $"before it answered.{Environment.NewLine}{await Container.ReadLogTailAsync(limit.Token)}");
                }

                await Task.Delay(Pause, limit.Token);
            }

            ProcessId = (await Container.ReadStateAsync(limit.Token)).ProcessId;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new BackendException(
                $"{Description} did not answer within {_request.ReadyTimeout.TotalSeconds} s; "
                    + $"last: {said}.{Environment.NewLine}{await Container.ReadLogTailAsync(cancellationToken)}");
        }
    }

    private async Task<string?> AskAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(AskTimeout);
        try
        {
            return await _ask(Container, limit.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return $"no answer within {AskTimeout.TotalSeconds} s";
        }
    }
}
