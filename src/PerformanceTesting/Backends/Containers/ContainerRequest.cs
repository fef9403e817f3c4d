namespace PerformanceTesting.Backends.Containers;

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

    /// <summary>
    /// Directories held in memory, with their size in bytes; none by default. A full disk is made by it.
    /// </summary>
    public IReadOnlyDictionary<string, long> MemoryDirectories { get; init; } = new Dictionary<string, long>();

    /// <summary>
    /// Shared memory of its processes, bytes; 256 MiB by default: Docker's 64 MiB end parallel queries of PostgreSQL.
    /// </summary>
    public long SharedMemoryBytes { get; init; } = 256 << 20;

    /// <summary>How long what runs in it may take until it answers; 90 s by default.</summary>
    public TimeSpan ReadyTimeout { get; init; } = TimeSpan.FromSeconds(90);
}
