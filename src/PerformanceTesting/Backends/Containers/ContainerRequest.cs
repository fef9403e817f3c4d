namespace PerformanceTesting.Backends.Containers;

/// <summary>A container to be started.</summary>
public sealed record ContainerRequest
{
    /// <summary>What is in it, for its name and labels.</summary>
    public required ServerKind Kind { get; init; }

    /// <summary>Reference of an image that is there.</summary>
    public required string Image { get; init; }

    /// <summary>Ports in the container that are published on free ports; TCP, 1 to 65535.</summary>
    public required IReadOnlyList<int> Ports { get; init; }

    /// <summary>Variables of its first process; none by default. May hold secrets: never printed.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>Arguments to the image's entry point; the image's own when empty, which is the default.</summary>
    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>Directories held in memory, with their size in bytes; none by default. A full disk can be had by it.</summary>
    public IReadOnlyDictionary<string, long> MemoryDirectories { get; init; } = new Dictionary<string, long>();

    /// <summary>Shared memory of its processes, bytes; 256 MiB by default, as Docker's own 64 MiB end parallel queries of PostgreSQL.</summary>
    public long SharedMemoryBytes { get; init; } = 256 << 20;
}
