namespace Workflow.Engine.Timers;

internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override bool CanDeadLetter => true;

    /// <summary>The wait or signal with the due time, because a wait may have two timers.</summary>
    public (Guid Subject, DateTimeOffset Due) Subject =>
        (entry.SignalId == Guid.Empty ? entry.WaitId : entry.SignalId, entry.DueUtc);

    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts)
    {
        if (entry.SignalId == Guid.Empty)
        {
            lane.Timers.DeadLetter(entry, deadLetterId, reason, attempts);
        }
        else
        {
            lane.Signals.DeadLetter(entry.SignalId, deadLetterId, reason, attempts);
        }
    }

    public override void NoteNeeds(LaneState lane)
    {
        if (entry.SignalId != Guid.Empty)
        {
            lane.Signals.NoteNeeds(entry.SignalId);
        }
    }

    public override void Apply(LaneState lane) => lane.Timers.Fire(entry);
}
