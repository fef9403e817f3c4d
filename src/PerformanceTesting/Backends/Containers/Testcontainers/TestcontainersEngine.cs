using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Images;
using PerformanceTesting.Processes;
using TestcontainersContainer = DotNet.Testcontainers.Containers.IContainer;

namespace PerformanceTesting.Backends.Containers.Testcontainers;

/// <summary>
/// Starts containers by Testcontainers, on the full feed. Images, logs, usage and the removal are asked of the same engine by
/// <paramref name="docker"/>: our labels tell a later run what a killed one left, so that the reaper, a container that must be pulled
/// first, is not needed.
/// </summary>
/// <param name="docker">The engine.</param>
/// <param name="choosePort">Chooses a port that is free here; any when omitted.</param>
public sealed class TestcontainersEngine(DockerEngine docker, Func<int>? choosePort = null) : IContainerEngine
{
    public string Description { get; } = $"{docker.Description}, by Testcontainers {typeof(ContainerBuilder).Assembly.GetName().Version}";

    public Task<ImageOutcome> FindImageAsync(ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken) =>
        docker.FindImageAsync(image, mayTakeMinutes, cancellationToken);

    public async Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        const int PortAttempts = 3;
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return await TryStartAsync(request, cancellationToken);
            }
            catch (BackendException exception) when (attempt < PortAttempts && DockerEngine.IsPortTaken(exception.Message))
            {
                // The next attempt chooses other ports.
            }
        }
    }

    public void Dispose() => docker.Dispose();

    private async Task<IServerContainer> TryStartAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        var ports = request.Ports.ToDictionary(port => port, _ => choosePort?.Invoke() ?? LoopbackPort.Free());
        var (name, labels) = docker.NewIdentity(request.Kind);
        var builder = new ContainerBuilder(request.Image)
            .WithDockerEndpoint(docker.Address)
            .WithImagePullPolicy(PullPolicy.Never)
            .WithName(name)
            .WithLabel(labels)
            .WithCleanUp(false)
            .WithEnvironment(request.Environment)
            .WithCreateParameterModifier(parameters =>
            {
                var host = parameters.HostConfig!;
                host.ShmSize = request.SharedMemoryBytes;
                host.Tmpfs = request.MemoryDirectories.ToDictionary(pair => pair.Key, pair => $"rw,size={pair.Value}");
                foreach (var binding in host.PortBindings!.Values.SelectMany(bindings => bindings))
                {
                    binding.HostIP = docker.PublishedAddress;
                }
            });
        builder = request.Command.Count > 0 ? builder.WithCommand(request.Command.ToArray()) : builder;
        builder = ports.Aggregate(builder, (b, port) => b.WithPortBinding(port.Value, port.Key));
        var container = builder.Build();
        try
        {
            await container.StartAsync(cancellationToken);
            return docker.Adopt(container.Id, name, ports);
        }
        catch (Exception exception)
        {
            await RemoveAsync(container, name, ports);
            throw exception is OperationCanceledException && cancellationToken.IsCancellationRequested
                ? exception
                : new BackendException($"Testcontainers could not start {request.Image}: {exception.Message}", exception);
        }
    }

    /// <summary>Without its reaper, Testcontainers only stops what it is to dispose of.</summary>
    private async Task RemoveAsync(TestcontainersContainer container, string name, IReadOnlyDictionary<int, int> ports)
    {
        if (await docker.HasContainerAsync(name, CancellationToken.None))
        {
            await docker.Adopt(name, name, ports).DisposeAsync();
        }

        await container.DisposeAsync();
    }
}
