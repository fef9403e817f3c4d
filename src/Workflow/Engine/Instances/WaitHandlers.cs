namespace Workflow.Engine.Instances;

internal sealed class WaitHandlers(LaneState lane)
{
    public WaitHandler this[WaitKind kind] => kind switch
    {
        WaitKind.Signal => lane.SignalWaits,
        WaitKind.Delay => lane.Timers,
        WaitKind.Activity => lane.Activities,
        WaitKind.Task => lane.Tasks,
        WaitKind.Call => lane.Calls,
        WaitKind.CallEach => lane.ElementCalls,
        _ => throw new InvalidOperationException($"Nothing handles waits of the kind {kind}."),
    };

    /// <summary>The handler of a step that waits; null for every other step.</summary>
    public WaitHandler? Find(StepDefinition step) => step switch
    {
        WaitSignalStep => lane.SignalWaits,
        DelayStep => lane.Timers,
        InvokeStep => lane.Activities,
        TaskStep => lane.Tasks,
        CallStep => lane.Calls,
        CallEachStep => lane.ElementCalls,
        _ => null,
    };
}
