namespace Workflow.Abstractions;

public sealed record StartCommand
{
    public required string Definition { get; init; }

    /// <summary>Version; the newest when null.</summary>
    public int? Version { get; init; }

    /// <summary>The first variables: a context, or null for none.</summary>
    public Value Input { get; init; }

    /// <summary>A key of the caller's, at most 512 characters; it decides the partition.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>Repeating a start with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}
