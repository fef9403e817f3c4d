namespace Workflow.Engine.Execution;

internal enum WaitKind
{
    Signal,
    Delay,
    Activity,
    Task,
    Call,
}
