namespace Workflow.Abstractions;

/// <summary>Asks a failed instance to go on where it stopped.</summary>
public sealed record RetryCommand
{
    public required Guid InstanceId { get; init; }

    /// <summary>Set before it goes on: a context, or null for none.</summary>
    public Value Variables { get; init; }

    /// <summary>Repeating a retry with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}
