namespace Workflow.Abstractions;

/// <summary>Asks a failed instance to go on where it stopped, or at another step.</summary>
public sealed record RetryCommand
{
    public required Guid InstanceId { get; init; }

    /// <summary>Set before it goes on: a context, or null for none.</summary>
    public Value Variables { get; init; }

    /// <summary>
    /// The step at which the failed token continues; null (the default) for where it stopped. It must be inside the
    /// same fork or sub-process and not a join. Other tokens continue where they are. The steps in between are neither
    /// executed nor undone.
    /// </summary>
    public string? Step { get; init; }

    /// <summary>Repeating a retry with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}
