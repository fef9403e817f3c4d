using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Images;
using Microsoft.Extensions.Logging.Abstractions;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Starts containers by Testcontainers on the Docker Engine, or on one that speaks its API. Labels tell a later run
/// what a killed one left: the reaper of Testcontainers, a container that must be pulled first, is not needed.
/// </summary>
public sealed class DockerEngine : IContainerEngine
{
    private readonly DockerConnection _docker;
    private readonly Func<int> _choosePort;
    private readonly string _mark = Guid.NewGuid().ToString("N");

    private DockerEngine(DockerConnection docker, Func<int>? choosePort)
    {
        _docker = docker;
        _choosePort = choosePort ?? (() => LoopbackPort.Free());
        Description = $"Docker {docker.EngineVersion} at {docker.Endpoint}, API {docker.Endpoint.Version}, "
            + $"by Testcontainers {typeof(ContainerBuilder).Assembly.GetName().Version!.ToString(3)}";
    }

    public string Description { get; }

    /// <summary>
    /// Finds the engine that the environment names, or the usual one; removes what killed runs left there.
    /// </summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <param name="cancellationToken">Ends the wait; without it, a few seconds do.</param>
    /// <returns>The engine, or why none answers.</returns>
    public static async Task<(IContainerEngine? Engine, string? Refusal)> FindAsync(
        Func<string, string?>? read, CancellationToken cancellationToken)
    {
        try
        {
            return (await ConnectAsync(DockerEndpoint.FromVariables(read), null, cancellationToken), null);
        }
        catch (BackendException exception)
        {
            return (null, exception.Message);
        }
    }

    /// <summary>Connects to the engine, and removes the containers of processes that are gone.</summary>
    /// <param name="choosePort">Chooses a port that is free here; any when omitted.</param>
    /// <exception cref="BackendException">None answers; says what to do.</exception>
    internal static async Task<DockerEngine> ConnectAsync(
        DockerEndpoint endpoint, Func<int>? choosePort, CancellationToken cancellationToken)
    {
        var docker = await DockerConnection.ConnectAsync(endpoint, cancellationToken);
        try
        {
            await DockerLeftovers.RemoveAsync(docker, cancellationToken);
            return new DockerEngine(docker, choosePort);
        }
        catch
        {
            docker.Dispose();
            throw;
        }
    }

    public Task<ImageOutcome> FindImageAsync(
        ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken) =>
        new DockerImages(_docker).FindAsync(image, mayTakeMinutes, cancellationToken);

    public async Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        const int PortAttempts = 3;
        for (var attempt = 1; ; attempt++)
        {
            var container = Build(request);
            try
            {
                await container.StartAsync(cancellationToken);
                return container;
            }
            catch (Exception exception)
            {
                await container.DisposeAsync();
                if (attempt == PortAttempts || exception is not BackendException || !IsPortTaken(exception.Message))
                {
                    throw;
                }
            }
        }
    }

    /// <summary>The containers that this object started and that are still there, running or not.</summary>
    internal async Task<IReadOnlyList<string>> ListOwnAsync(CancellationToken cancellationToken)
    {
        var own = await DockerLeftovers.ListAsync(_docker, $"{DockerLeftovers.EngineLabel}={_mark}", cancellationToken);
        return [.. own.Select(container => container.ID)];
    }

    public void Dispose() => _docker.Dispose();

    /// <summary>Whether another program took a port that was free; another attempt chooses others.</summary>
    private static bool IsPortTaken(string message) =>
        message.Contains("port is already allocated", StringComparison.Ordinal)
            || message.Contains("address already in use", StringComparison.Ordinal);

    private DockerContainer Build(ContainerRequest request)
    {
        var name = $"workflow-{request.Kind}-{Guid.NewGuid():N}"[..40];

        // Chosen here and not by the engine, which would choose another one when the container starts again.
        var ports = request.Ports.ToDictionary(port => port, _ => _choosePort());
        var builder = new ContainerBuilder(request.Image)
            .WithDockerEndpoint(_docker.Endpoint)
            .WithLogger(NullLogger.Instance)
            .WithImagePullPolicy(PullPolicy.Never)
            .WithName(name)
            .WithLabel(DockerLeftovers.Labels(_mark))
            .WithCleanUp(false)
            .WithEnvironment(request.Environment)
            .WithCreateParameterModifier(parameters =>
            {
                var host = parameters.HostConfig!;
                host.ShmSize = request.SharedMemoryBytes;
                host.Tmpfs = request.MemoryDirectories.ToDictionary(pair => pair.Key, pair => $"rw,size={pair.Value}");
                foreach (var binding in host.PortBindings!.Values.SelectMany(bindings => bindings))
                {
                    binding.HostIP = _docker.Endpoint.PublishedAddress;
                }
            });
        builder = request.Command.Count > 0 ? builder.WithCommand(request.Command.ToArray()) : builder;
        builder = ports.Aggregate(builder, (built, port) => built.WithPortBinding(port.Value, port.Key));
        return new DockerContainer(_docker, builder.Build(), name, ports);
    }
}
