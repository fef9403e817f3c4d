using System.Text.Json.Nodes;
using Foundation;

namespace PerformanceTesting.Backends.Containers;

/// <summary>The Docker Engine, or one that speaks its API.</summary>
public sealed class DockerEngine : IContainerEngine
{
    private readonly DockerApi _api;
    private readonly DockerEndpoint _endpoint;
    private readonly string _mark = Guid.NewGuid().ToString("N");

    private DockerEngine(DockerApi api, DockerEndpoint endpoint, string version)
    {
        _api = api;
        _endpoint = endpoint;
        Description = $"Docker {version} at {endpoint}, API {api.Version}";
    }

    public string Description { get; }

    /// <summary>Finds the engine, agrees on a version, and removes the containers of processes that are gone.</summary>
    /// <exception cref="BackendException">None answers; says what to do.</exception>
    internal static async Task<DockerEngine> ConnectAsync(DockerEndpoint endpoint, CancellationToken cancellationToken)
    {
        var api = await DockerApi.ConnectAsync(endpoint, cancellationToken);
        try
        {
            var version = (await api.GetAsync("/version", cancellationToken)).GetProperty("Version").GetString();
            await DockerLeftovers.RemoveAsync(api, cancellationToken);
            return new DockerEngine(api, endpoint, version!);
        }
        catch
        {
            api.Dispose();
            throw;
        }
    }

    public Task<ImageOutcome> FindImageAsync(ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken) =>
        new DockerImages(_api).FindAsync(image, mayTakeMinutes, cancellationToken);

    public async Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        const int PortAttempts = 3;
        for (var attempt = 1; ; attempt++)
        {
            var container = await CreateAsync(request, cancellationToken);
            try
            {
                await container.StartAgainAsync(cancellationToken);
                return container;
            }
            catch (Exception exception)
            {
                await container.DisposeAsync();
                if (attempt < PortAttempts && exception is BackendException && IsPortTaken(exception.Message))
                {
                    continue;
                }

                throw;
            }
        }
    }

    /// <summary>Where it listens, as in <c>DOCKER_HOST</c>.</summary>
    internal Uri Address => _endpoint.Address;

    /// <summary>The address that ports are published on, empty for all of the engine's machine.</summary>
    internal string PublishedAddress => _endpoint.IsLocal ? _endpoint.PortHost : "";

    /// <summary>A name of its own, and the labels that say whose it is, for a container of this object.</summary>
    internal (string Name, IReadOnlyDictionary<string, string> Labels) NewIdentity(string kind) =>
        ($"workflow-{kind}-{Guid.NewGuid():N}"[..40], DockerLeftovers.Labels(_mark));

    /// <summary>A container that somebody else has started with such an identity.</summary>
    internal IServerContainer Adopt(string id, string name, IReadOnlyDictionary<int, int> ports)
    {
        var container = new DockerContainer(_api, id, name, _endpoint.PortHost, ports);
        container.FollowLog();
        return container;
    }

    /// <summary>The containers that this object started and that are still there, running or not.</summary>
    internal async Task<IReadOnlyList<string>> ListOwnAsync(CancellationToken cancellationToken) =>
        [
            .. from container in await DockerLeftovers.ListAsync(_api, $"{DockerLeftovers.EngineLabel}={_mark}", cancellationToken)
               select container.Id,
        ];

    /// <summary>Whether there is such a container, whoever started it.</summary>
    internal async Task<bool> HasContainerAsync(string id, CancellationToken cancellationToken) =>
        await _api.FindAsync($"/containers/{id}/json", cancellationToken) is not null;

    public void Dispose() => _api.Dispose();

    /// <summary>Whether somebody was quicker to take a port that was free; another attempt chooses others.</summary>
    internal static bool IsPortTaken(string message) =>
        message.Contains("port is already allocated", StringComparison.Ordinal)
            || message.Contains("address already in use", StringComparison.Ordinal);

    private async Task<DockerContainer> CreateAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        var (name, labels) = NewIdentity(request.Kind);

        // Chosen here and not by the engine, which would choose another one when the container starts again.
        var ports = request.Ports.ToDictionary(port => port, _ => LoopbackPort.Free());
        var created = await _api.PostAsync($"/containers/create?name={name}", Body(request, labels, ports), cancellationToken);
        return new DockerContainer(_api, created!.Value.GetProperty("Id").GetString()!, name, _endpoint.PortHost, ports);
    }

    private JsonObject Body(ContainerRequest request, IReadOnlyDictionary<string, string> labels, Dictionary<int, int> ports)
    {
        var body = new JsonObject
        {
            ["Image"] = request.Image,
            ["Env"] = new JsonArray([.. request.Environment.Select(pair => (JsonNode)$"{pair.Key}={pair.Value}")]),
            ["Labels"] = new JsonObject(labels.Select(label => KeyValuePair.Create(label.Key, (JsonNode?)label.Value))),
            ["ExposedPorts"] = new JsonObject(ports.Keys.Select(port => KeyValuePair.Create($"{port}/tcp", (JsonNode?)new JsonObject()))),
            ["HostConfig"] = new JsonObject
            {
                ["ShmSize"] = request.SharedMemoryBytes,
                ["PortBindings"] = new JsonObject(ports.Select(pair => KeyValuePair.Create($"{pair.Key}/tcp", (JsonNode?)new JsonArray(
                    new JsonObject { ["HostIp"] = PublishedAddress, ["HostPort"] = $"{pair.Value}" })))),
                ["Tmpfs"] = new JsonObject(
                    request.MemoryDirectories.Select(pair => KeyValuePair.Create(pair.Key, (JsonNode?)$"rw,size={pair.Value}"))),
            },
        };
        if (request.Command.Count > 0)
        {
            body["Cmd"] = new JsonArray([.. request.Command.Select(argument => (JsonNode)argument)]);
        }

        return body;
    }
}

/// <summary>Finds the engine that containers are started with.</summary>
public static class ContainerEngines
{
    /// <summary>Testcontainers starts the containers where the full feed has it.</summary>
    private static readonly Type? Testcontainers =
        Type.GetType($"{typeof(ContainerEngines).Namespace}.Testcontainers.TestcontainersEngine");

    /// <summary>Asks the engine that the environment names, or the usual socket; removes what killed runs left there.</summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <param name="cancellationToken">Ends the wait; without it, a few seconds do.</param>
    /// <returns>The engine, or why none answers.</returns>
    public static async Task<(IContainerEngine? Engine, string? Refusal)> FindAsync(
        Func<string, string?>? read, CancellationToken cancellationToken)
    {
        try
        {
            var docker = await DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(read), cancellationToken);
            return (Testcontainers is null ? docker : (IContainerEngine)Activator.CreateInstance(Testcontainers, docker, null)!, null);
        }
        catch (BackendException exception)
        {
            return (null, exception.Message);
        }
    }
}

/// <summary>Labels that say whose a container is, and the removal of those whose owner is gone: nothing else removes them.</summary>
internal static class DockerLeftovers
{
    public const string OwnerLabel = "workflow-perf.owner";
    public const string MachineLabel = "workflow-perf.machine";
    public const string EngineLabel = "workflow-perf.engine";

    /// <summary>The labels of a container of this process.</summary>
    /// <param name="engine">Which object of the process started it.</param>
    public static IReadOnlyDictionary<string, string> Labels(string engine) => new Dictionary<string, string>
    {
        [OwnerLabel] = ProcessOwner.Current.ToString(),
        [MachineLabel] = Environment.MachineName,
        [EngineLabel] = engine,
    };

    /// <summary>Removes the containers of processes of this machine that have ended. Process ids of others say nothing here.</summary>
    public static async Task RemoveAsync(DockerApi api, CancellationToken cancellationToken)
    {
        foreach (var (id, owner) in await ListAsync(api, $"{MachineLabel}={Environment.MachineName}", cancellationToken))
        {
            if (ProcessOwner.Find(owner) is { IsAlive: false })
            {
                await api.DeleteAsync($"/containers/{id}?force=true&v=true", cancellationToken);
            }
        }
    }

    /// <summary>The containers with a label, running or not: id and owner.</summary>
    public static async Task<IReadOnlyList<(string Id, string Owner)>> ListAsync(
        DockerApi api, string label, CancellationToken cancellationToken)
    {
        var filters = new JsonObject { ["label"] = new JsonArray(OwnerLabel, label) };
        var list = await api.GetAsync(
            $"/containers/json?all=true&filters={Uri.EscapeDataString(filters.ToJsonString())}", cancellationToken);
        return
        [
            .. list.EnumerateArray().Select(container => (
                container.GetProperty("Id").GetString()!, container.GetProperty("Labels").GetProperty(OwnerLabel).GetString()!)),
        ];
    }
}
