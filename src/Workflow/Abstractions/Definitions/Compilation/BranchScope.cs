namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Inside which forks a step runs: the innermost, and those around it; null is outside every fork. One object per fork.</summary>
internal sealed record BranchScope(string Fork, string Join, BranchScope? Around);
