using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Ends the branch, or the instance when it is the last.</summary>
public sealed record EndStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "end";

    /// <summary>Output of the instance.</summary>
    public Template? Output { get; init; }

    /// <summary>Ends every other branch as well.</summary>
    public bool Terminate { get; init; }
}
