namespace Workflow.Engine.Instances;

internal enum WaitKind
{
    Signal,
    Delay,
    Activity,
    Task,
    Call,

    /// <summary>Waits for nothing: a token of a failed instance before its step.</summary>
    Step,

    /// <summary>
    /// Waits for the sub-workflows of several elements. Its input holds the elements and their outputs.
    /// </summary>
    CallEach,
}
