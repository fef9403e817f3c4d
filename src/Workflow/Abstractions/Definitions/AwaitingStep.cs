namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for a result from outside the instance.</summary>
public abstract record AwaitingStep : BoundedStep
{
    /// <summary>The variable that takes what was waited for.</summary>
    public string? Result { get; init; }
}
