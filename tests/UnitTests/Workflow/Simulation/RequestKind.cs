namespace UnitTests.Workflow.Simulation;

internal enum RequestKind
{
    Start,
    Signal,
    SignalToInstance,
    Cancel,
    Complete,
    Suspend,
    Resume,
    Retry,
}
