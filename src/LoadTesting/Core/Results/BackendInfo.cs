namespace LoadTesting.Core.Results;

/// <summary>The server behind a profile, as it described itself after it had started.</summary>
public sealed record BackendInfo
{
    /// <summary>Product, e.g. <c>PostgreSQL</c>.</summary>
    public string? Product { get; init; }

    /// <summary>Version as the server reports it.</summary>
    public string? Version { get; init; }

    /// <summary>
    /// Durability class in a word or two, e.g. <c>durable</c> or <c>none</c>. Unlike classes are never ranked.
    /// </summary>
    public string? Durability { get; init; }

    /// <summary>
    /// How the server was provisioned, e.g. <c>external</c>, <c>native</c> or an image with its digest. Never a
    /// connection string.
    /// </summary>
    public string? Provision { get; init; }

    /// <summary>Settings that bear on durability and speed, read back from the server.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>Why a member is null, and which provisioners failed before this one.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
