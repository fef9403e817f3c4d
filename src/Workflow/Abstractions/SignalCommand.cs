namespace Workflow.Abstractions;

/// <summary>
/// Asks to send a signal. Exactly one of <see cref="CorrelationKey"/> and <see cref="InstanceId"/> is set.
/// </summary>
public sealed record SignalCommand
{
    public required string Name { get; init; }

    /// <summary>The correlation key, at most 512 characters.</summary>
    public string? CorrelationKey { get; init; }

    public Guid? InstanceId { get; init; }
    public Value Payload { get; init; }

    /// <summary>When to deliver (UTC); only with a correlation key. Null or past: at once.</summary>
    public DateTimeOffset? DueAt { get; init; }

    /// <summary>Repeating a signal with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}
