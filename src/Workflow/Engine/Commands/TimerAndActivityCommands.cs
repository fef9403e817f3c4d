using Workflow.Abstractions;
using Workflow.Engine.Activities;
using Workflow.Engine.Execution;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Commands;

/// <summary>Something is due.</summary>
internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override bool CanBePutAside => true;

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts)
    {
        if (entry.SignalId == Guid.Empty)
        {
            executor.PutTimerAside(entry, letterId, reason, attempts);
        }
        else
        {
            executor.PutSignalAside(entry.SignalId, letterId, reason, attempts);
        }
    }

    public override void Apply(LaneExecutor executor) => executor.Fire(entry);
}

/// <summary>An activity has returned or failed. It counts as under way until that is committed.</summary>
internal sealed class ActivityLaneCommand(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure, Action? done = null) : LaneCommand
{
    private bool _isRefused;

    /// <summary>True when it tells of a failure.</summary>
    public bool IsFailure => failure is not null;

    public override Guid SubjectId => waitId;

    public override string Description => $"activity result for instance {instanceId}";

    public override bool CanBePutAside => true;

    /// <summary>The same end of the activity, as a failure.</summary>
    public ActivityLaneCommand Refused(string message) => new(instanceId, waitId, result, new(message, IsFinal: true), done) { _isRefused = true };

    /// <summary>What is kept is what the activity did, not that it was refused.</summary>
    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) => executor.PutActivityAside(
        instanceId, waitId, failure is null || _isRefused ? result : null, _isRefused ? null : failure, letterId, reason, attempts);

    public override void Apply(LaneExecutor executor) => executor.FinishActivity(instanceId, waitId, result, failure);

    public override void Acknowledge() => done?.Invoke();

    public override void Fail(Exception error) => done?.Invoke();
}
