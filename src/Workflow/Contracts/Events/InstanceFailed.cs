namespace Workflow.Contracts.Events;

/// <summary>An instance stopped with an incident.</summary>
public sealed record InstanceFailed : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(InstanceFailed);

    /// <summary>What went wrong.</summary>
    public required string Error { get; init; }

    /// <summary>The step at which it went wrong.</summary>
    public string? Step { get; init; }
}
