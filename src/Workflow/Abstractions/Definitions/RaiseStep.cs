namespace Workflow.Abstractions.Definitions;

/// <summary>Raises an integration event.</summary>
public sealed record RaiseStep : SequentialStep
{
    public override string Type => "raise";
    public required string Event { get; init; }
    public Template? Payload { get; init; }
}
