using Workflow.Abstractions.Exceptions;

namespace Workflow.Bpmn;

/// <summary>A BPMN file cannot be imported; everything that was found is listed.</summary>
public sealed class BpmnInvalidException(IReadOnlyList<BpmnFinding> findings) : WorkflowException(
    $"The BPMN file has {findings.Count} finding(s): {string.Join(" | ", findings)}")
{
    public IReadOnlyList<BpmnFinding> Findings { get; } = findings;
    public override string Code => "definition-invalid";
}
