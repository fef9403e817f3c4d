namespace Workflow.Abstractions.Definitions;

/// <summary>Ends the branch; as the last one, the sub-process that it is in, or the instance.</summary>
public sealed record EndStep : StepDefinition
{
    public override string Type => "end";

    /// <summary>Of the instance; null within a sub-process.</summary>
    public Template? Output { get; init; }

    /// <summary>Ends every other branch as well, within the sub-process that it is in.</summary>
    public bool Terminate { get; init; }
}
