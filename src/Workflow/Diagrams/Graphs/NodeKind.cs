namespace Workflow.Diagrams.Graphs;

public enum NodeKind
{
    Start,
    Set,
    Decide,
    Fork,
    Join,
    WaitSignal,
    Delay,
    Task,
    Invoke,
    Call,
    Raise,
    End,
    Terminate,
    Fail,
    Inclusive,
    WaitFirst,

    /// <summary>A signal that a step waits for the first of; no step itself. A time is drawn as a delay.</summary>
    Signal,

    /// <summary>Calls for several elements.</summary>
    CallEach,

    /// <summary>A box around the steps inside.</summary>
    SubProcess,

    /// <summary>A box around the elements of a lane of a BPMN model; no step.</summary>
    Lane,

    /// <summary>A step of a type that this assembly does not know: drawn as a plain box.</summary>
    Other,
}
