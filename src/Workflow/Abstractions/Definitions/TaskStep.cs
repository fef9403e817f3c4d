namespace Workflow.Abstractions.Definitions;

/// <summary>Creates a task for a person and waits until it is completed.</summary>
public sealed record TaskStep : AwaitingStep
{
    public override string Type => "task";

    /// <summary>The assignee; null, or a template that gives null, for none.</summary>
    public Template? Assignee { get; init; }

    /// <summary>Groups that may take it: a list of texts. Null for none.</summary>
    public Template? Groups { get; init; }
}
