using Workflow.Abstractions.Exceptions;

namespace Workflow.Diagrams;

/// <summary>
/// A layout of the definition would take too long. Formats that are laid out where they are read have no such limit.
/// </summary>
public sealed class DiagramTooLargeException(string what, int limit, string remedy) : WorkflowException(
    $"{what}; at most {limit} are laid out. Use the format mermaid or elk, which their readers lay out, or {remedy}.")
{
    public override string Code => "diagram-too-large";
}
