using Foundation;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// A server in a container that was started for the run. It is ready when it answers a query, every error carries its
/// log, and disposing removes it.
/// </summary>
public sealed class ServerInContainer : ServerHost
{
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private readonly ContainerRequest _request;
    private readonly string _engine;
    private readonly Func<IServerContainer, CancellationToken, Task<string?>> _ask;
    private int? _processId;

    private ServerInContainer(
        IServerContainer container, ContainerRequest request, string engine,
        Func<IServerContainer, CancellationToken, Task<string?>> ask)
    {
        Container = container;
        _request = request;
        _engine = engine;
        _ask = ask;
    }

    public override ProvisionMode Provision => ProvisionMode.Container;

    public override IServerContainer Container { get; }

    /// <summary>The server for people: container, image, address, engine.</summary>
    public override string Description =>
        $"container {Container.Name} of {_request.Image} (host={Container.Host}, "
            + $"port={Container.PortOf(_request.Ports[0])}, {_engine})";

    /// <summary>The first process as this machine numbers it, while it runs and is in reach.</summary>
    public override int? ProcessId => _processId;

    /// <summary>Starts a container and waits until the server in it answers.</summary>
    /// <param name="request">What to start; the first port is the one that queries go to.</param>
    /// <param name="ask">Asks the server something; gives null when it answered, else what happened.</param>
    /// <param name="cancellationToken">
    /// Ends the wait; without it, <see cref="ContainerRequest.ReadyTimeout"/> does.
    /// </param>
    /// <exception cref="BackendException">
    /// It ends, or does not answer; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<ServerInContainer> StartAsync(
        IContainerEngine engine,
        ContainerRequest request,
        Func<IServerContainer, CancellationToken, Task<string?>> ask,
        CancellationToken cancellationToken) =>
        await new ServerInContainer(
            await engine.StartAsync(request, cancellationToken), request, engine.Description, ask)
            .PreparedAsync(server => server.WaitUntilReadyAsync(cancellationToken));

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) =>
        Container.ReadLogTailAsync(cancellationToken);

    public override async Task KillAsync(CancellationToken cancellationToken)
    {
        _processId = null;
        await Container.KillAsync(cancellationToken);
    }

    public override async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        await Container.StartAgainAsync(cancellationToken);
        await WaitUntilReadyAsync(cancellationToken);
    }

    public override Task PauseAsync(CancellationToken cancellationToken) => Container.PauseAsync(cancellationToken);

    public override Task ContinueAsync(CancellationToken cancellationToken) => Container.ResumeAsync(cancellationToken);

    public override ValueTask DisposeAsync() => Container.DisposeAsync();

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
                        $"{Description} ended with exit code "
                            + $"{state.ExitCode}{(state.IsOutOfMemory ? ", out of memory" : "")} "
                            + $"before it answered.{Environment.NewLine}{await Container.ReadLogTailAsync(limit.Token)}");
                }

                await Task.Delay(Pause, limit.Token);
            }

            _processId = (await Container.ReadStateAsync(limit.Token)).ProcessId;
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
