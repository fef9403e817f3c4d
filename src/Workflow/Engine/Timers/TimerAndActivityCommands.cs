using Workflow.Abstractions;
using Workflow.Engine.Activities;
using Workflow.Engine.Commands;
using Workflow.Engine.Lanes;

namespace Workflow.Engine.Timers;

internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override bool CanDeadLetter => true;

    public override void DeadLetter(LaneExecutor executor, Guid deadLetterId, string reason, int attempts)
    {
        if (entry.SignalId == Guid.Empty)
        {
            executor.DeadLetterTimer(entry, deadLetterId, reason, attempts);
        }
        else
        {
            executor.DeadLetterSignal(entry.SignalId, deadLetterId, reason, attempts);
        }
    }

    public override void Apply(LaneExecutor executor) => executor.Fire(entry);
}

/// <summary>An activity has returned or failed. It counts as running until that is committed.</summary>
internal sealed class ActivityLaneCommand(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure, Action? done = null)
    : LaneCommand
{
    private bool _isRefused;

    public bool IsFailure => failure is not null;
    public override Guid SubjectId => waitId;
    public override long Size => result.Weight;
    public override string Description => $"activity result for instance {instanceId}";
    public override bool CanDeadLetter => true;

    /// <summary>The same result as a failure, because it cannot be stored.</summary>
    public ActivityLaneCommand Refused(string message) =>
        new(instanceId, waitId, result, new(message, IsFinal: true), done) { _isRefused = true };

    /// <summary>The dead letter holds the activity's own result, not the refusal.</summary>
    public override void DeadLetter(LaneExecutor executor, Guid deadLetterId, string reason, int attempts) => executor.DeadLetterActivity(
        instanceId, waitId, failure is null || _isRefused ? result : null, _isRefused ? null : failure, deadLetterId, reason, attempts);

    public override void Apply(LaneExecutor executor) => executor.FinishActivity(instanceId, waitId, result, failure);
    public override void Acknowledge() => done?.Invoke();
    public override void Fail(Exception error) => done?.Invoke();
}
