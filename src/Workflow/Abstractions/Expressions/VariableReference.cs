namespace Workflow.Abstractions.Expressions;

/// <summary>A place where an expression reads a variable.</summary>
/// <param name="Start">From 0 in the source, in UTF-16 units.</param>
/// <param name="Length">Backticks included.</param>
/// <param name="IsPosition">Whether it stands between the brackets of an access.</param>
public readonly record struct VariableReference(string Name, int Start, int Length, bool IsPosition);
