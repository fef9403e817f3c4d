namespace Workflow.Contracts.Signals;

/// <summary>Body of <c>POST /signals</c>.</summary>
public sealed record SendSignal
{
    public required string Name { get; init; }

    /// <summary>Correlation key, at most 512 characters.</summary>
    public required string CorrelationKey { get; init; }

    public JsonElement? Payload { get; init; }

    /// <summary>When to deliver (UTC); at once when absent or past.</summary>
    public DateTimeOffset? DueAt { get; init; }
}

/// <summary>Body of <c>POST /instances/{id}/signals</c>.</summary>
public sealed record SendInstanceSignal
{
    public required string Name { get; init; }
    public JsonElement? Payload { get; init; }
}

/// <summary>Answer of both signal routes: the signal is durable.</summary>
/// <param name="Delivered">True when a waiting instance took it in the same commit; false when it was buffered or forwarded.</param>
/// <param name="Duplicate">True when an earlier signal with the same idempotency key was accepted.</param>
/// <param name="DeadLetterId">Set when it could not be applied: the dead letter that keeps it until it is replayed. Absent
/// otherwise.</param>
public sealed record SignalAccepted(Guid Id, bool Delivered, bool Duplicate, Guid? DeadLetterId = null);
