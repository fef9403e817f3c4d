namespace Workflow.Engine.Timers;

/// <summary>Something due: a wait of an instance, or a signal that is delayed or expires.</summary>
/// <param name="DueUtc">When.</param>
/// <param name="InstanceId">The instance of the wait.</param>
/// <param name="WaitId">The wait.</param>
/// <param name="SignalId">The signal.</param>
internal readonly record struct TimerEntry(DateTimeOffset DueUtc, Guid InstanceId, Guid WaitId, Guid SignalId)
{
    public static TimerEntry ForWait(DateTimeOffset due, Guid instance, Guid wait) => new(due, instance, wait, Guid.Empty);

    public static TimerEntry ForSignal(DateTimeOffset due, Guid signal) => new(due, Guid.Empty, Guid.Empty, signal);
}
