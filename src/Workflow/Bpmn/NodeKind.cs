namespace Workflow.Bpmn;

internal enum NodeKind
{
    /// <summary>Goes on at its one way out; with steps, through them.</summary>
    Sequence,
    Decide,
    Fork,

    /// <summary>A fork that takes the branches whose conditions are true.</summary>
    Inclusive,
    Join,

    /// <summary>The token ends; the process or sub-process ends with its last token.</summary>
    End,

    /// <summary>Ends everything: a failure or a termination.</summary>
    Stop,
}
