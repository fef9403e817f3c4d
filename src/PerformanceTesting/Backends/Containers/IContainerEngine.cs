namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Starts servers in containers. An implementer removes what it started when the container is disposed of, labels it so that a later run
/// can find what a killed one left, and publishes ports on the loopback address of this machine wherever the engine is on it.
/// </summary>
public interface IContainerEngine : IDisposable
{
    /// <summary>Product, version, address.</summary>
    string Description { get; }

    /// <summary>Finds, pulls or builds an image.</summary>
    /// <param name="mayTakeMinutes">Otherwise what is not there within half a minute is refused, with the command that gets it.</param>
    /// <returns>The reference to start containers from, or why there is none.</returns>
    Task<ImageOutcome> FindImageAsync(ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken);

    /// <summary>Creates and starts a container; what runs in it is not ready yet.</summary>
    /// <exception cref="BackendException">The engine refuses; the message holds its own words. Nothing is left behind.</exception>
    Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken);
}

/// <summary>A container to be started.</summary>
public sealed record ContainerRequest
{
    /// <summary>The kind of server in it, lower case, for its name.</summary>
    public required string Kind { get; init; }

    /// <summary>Reference of an image that is there.</summary>
    public required string Image { get; init; }

    /// <summary>Ports in the container that are published on free ports; TCP, 1 to 65535.</summary>
    public required IReadOnlyList<int> Ports { get; init; }

    /// <summary>Variables of its first process; none by default. May hold secrets: never printed.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>Arguments to the image's entry point; the image's own when empty, which is the default.</summary>
    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>Directories held in memory, with their size in bytes; none by default. A full disk is made by it.</summary>
    public IReadOnlyDictionary<string, long> MemoryDirectories { get; init; } = new Dictionary<string, long>();

    /// <summary>Shared memory of its processes, bytes; 256 MiB by default: Docker's 64 MiB end parallel queries of PostgreSQL.</summary>
    public long SharedMemoryBytes { get; init; } = 256 << 20;

    /// <summary>How long what runs in it may take until it answers; 90 s by default.</summary>
    public TimeSpan ReadyTimeout { get; init; } = TimeSpan.FromSeconds(90);
}

/// <summary>The image that a kind of server is started from.</summary>
/// <param name="Kind">The kind of server in it, lower case.</param>
/// <param name="Reference">The official image, pinned, e.g. <c>postgres:17.6</c>; or what the kind's variable names.</param>
/// <param name="Local">
/// What <c>fixtures/containers/build.sh</c> makes in its stead; null when there is no such thing, or an image was named.
/// </param>
public sealed record ContainerImage(string Kind, string Reference, string? Local)
{
    /// <summary>Where its Dockerfile is, under the checkout's root.</summary>
    public string Folder => $"fixtures/containers/{Kind}";
}

/// <summary>An image that containers can be started from, or why there is none.</summary>
/// <param name="Reference">As <c>docker image inspect</c> takes it; null when there is none.</param>
/// <param name="Refusal">Why, and the command that gets it; null when there is one.</param>
public sealed record ImageOutcome(string? Reference, string? Refusal);
