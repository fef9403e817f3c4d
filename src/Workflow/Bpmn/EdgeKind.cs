namespace Workflow.Bpmn;

internal enum EdgeKind
{
    Next,
    Case,
    Otherwise,
    Branch,
    Timeout,
    Error,

    /// <summary>An event of a step that waits for the first of several, or at its border.</summary>
    Event,

    /// <summary>From a sub-process to the first step in it.</summary>
    Inside,
}
