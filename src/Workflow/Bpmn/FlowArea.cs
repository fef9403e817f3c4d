namespace Workflow.Bpmn;

/// <summary>The process, or a sub-process: what its tokens do not leave before the last of them has ended.</summary>
/// <param name="terminated">
/// The variable that says that a terminate end event has ended it; null where nobody asks.
/// </param>
internal sealed class FlowArea(bool isProcess, string? terminated = null)
{
    public bool IsProcess => isProcess;
    public string? Terminated => terminated;
}
