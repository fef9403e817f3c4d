namespace Workflow.Contracts.Events;

/// <summary>An instance stopped with an incident.</summary>
public sealed record InstanceFailed : IntegrationEvent
{
    public override string Type => nameof(InstanceFailed);

    public required string Error { get; init; }
    public string? Step { get; init; }

    /// <summary>
    /// What kind of error it is, as the <c>fail</c> step or the activity says; absent where they say nothing.
    /// </summary>
    public string? Code { get; init; }
}
