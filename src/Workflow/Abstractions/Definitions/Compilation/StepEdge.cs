namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>A way from one step to another.</summary>
/// <param name="From">The step; empty for the start of the definition.</param>
/// <param name="Path">The member that names the target.</param>
/// <param name="To">The step named, which may not exist.</param>
/// <param name="Follows">False for a fork's join, which is named but not stepped to.</param>
internal readonly record struct StepEdge(string From, string Path, string To, bool Follows);
