namespace Workflow.Abstractions.Expressions;

/// <summary>How high a tree of nodes is, and what it costs.</summary>
internal readonly record struct Shape(int Height, int Cost);
