namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>An edge from one step to another.</summary>
/// <param name="From">The step; empty for the start of the definition.</param>
/// <param name="Path">The member that names the target.</param>
/// <param name="To">The step named, which may not exist.</param>
internal readonly record struct StepEdge(string From, string Path, string To, StepEdgeKind Kind)
{
    public bool Follows => Kind != StepEdgeKind.Join;
}
