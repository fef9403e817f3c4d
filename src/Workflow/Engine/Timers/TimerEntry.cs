namespace Workflow.Engine.Timers;

/// <summary>A timer of a wait, or of a signal that is delayed or expires.</summary>
internal readonly record struct TimerEntry(DateTimeOffset DueUtc, Guid InstanceId, Guid WaitId, Guid SignalId)
{
    public static TimerEntry ForWait(DateTimeOffset due, Guid instance, Guid wait) =>
        new(due, instance, wait, Guid.Empty);
    public static TimerEntry ForSignal(DateTimeOffset due, Guid signal) => new(due, Guid.Empty, Guid.Empty, signal);
}
