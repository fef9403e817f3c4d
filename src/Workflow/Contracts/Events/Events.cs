namespace Workflow.Contracts.Events;

/// <summary>An instance reached its end.</summary>
public sealed record InstanceCompleted : IntegrationEvent
{
    public override string Type => nameof(InstanceCompleted);

    public JsonElement? Output { get; init; }
}

/// <summary>An instance stopped with an incident.</summary>
public sealed record InstanceFailed : IntegrationEvent
{
    public override string Type => nameof(InstanceFailed);

    public required string Error { get; init; }
    public string? Step { get; init; }

    /// <summary>What kind of error it is, as the <c>fail</c> step or the activity says; absent where they say nothing.</summary>
    public string? Code { get; init; }
}

/// <summary>An instance was cancelled: by a request, or because the instance that called it went on or ended without it.</summary>
public sealed record InstanceCancelled : IntegrationEvent
{
    public override string Type => nameof(InstanceCancelled);
    public required string Reason { get; init; }
}

/// <summary>An instance was suspended: it goes on once it is resumed.</summary>
public sealed record InstanceSuspended : IntegrationEvent
{
    public override string Type => nameof(InstanceSuspended);
}

/// <summary>A suspended instance was resumed, and takes what came meanwhile.</summary>
public sealed record InstanceResumed : IntegrationEvent
{
    public override string Type => nameof(InstanceResumed);
}

/// <summary>A failed instance goes on where it stopped; it may fail once more.</summary>
public sealed record InstanceRetried : IntegrationEvent
{
    public override string Type => nameof(InstanceRetried);

    /// <summary>The step that had failed.</summary>
    public string? Step { get; init; }
}

/// <summary>A task waits for a person.</summary>
public sealed record TaskCreated : IntegrationEvent
{
    public override string Type => nameof(TaskCreated);
    public required Guid TaskId { get; init; }
    public required string Step { get; init; }

    /// <summary>Who has it; null for nobody.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>When its time is over (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueAt { get; init; }
}

/// <summary>A task was completed, and its instance went on.</summary>
public sealed record TaskCompleted : IntegrationEvent
{
    public override string Type => nameof(TaskCompleted);
    public required Guid TaskId { get; init; }
    public required string Step { get; init; }
    public string? Assignee { get; init; }

    /// <summary>What it was completed with.</summary>
    public JsonElement? Output { get; init; }
}

/// <summary>A signal whose name is listed in <c>signalReceivers</c> was consumed durably by its receiver.</summary>
public sealed record SignalReceived : IntegrationEvent
{
    public override string Type => nameof(SignalReceived);
    public required string Name { get; init; }

    /// <summary>When it was to be delivered (UTC); null for at once.</summary>
    public DateTimeOffset? DueAt { get; init; }

    public JsonElement? Payload { get; init; }
}

/// <summary>A buffered signal was given up: its time to live was over, or its instance finished without taking it.</summary>
public sealed record SignalExpired : IntegrationEvent
{
    public override string Type => nameof(SignalExpired);
    public required string Name { get; init; }
    public required string Reason { get; init; }
}

/// <summary>
/// A new version of a definition was registered: <see cref="IntegrationEvent.Definition"/> and
/// <see cref="IntegrationEvent.DefinitionVersion"/> say which. Versions of one definition come in the order of their registrations.
/// </summary>
public sealed record DefinitionRegistered : IntegrationEvent
{
    public override string Type => nameof(DefinitionRegistered);

    /// <summary>Hash of its canonical JSON, as the registration was answered with.</summary>
    public required string ContentHash { get; init; }
}

/// <summary>A <c>raise</c> step was executed.</summary>
public sealed record EventRaised : IntegrationEvent
{
    public override string Type => Name;

    /// <summary>The event type that the definition names.</summary>
    public required string Name { get; init; }

    public JsonElement? Payload { get; init; }
}
