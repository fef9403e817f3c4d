namespace Workflow.Engine.Activities;

/// <summary>An activity has returned or failed. It counts as running until the command is committed.</summary>
internal sealed class ActivityLaneCommand(
    Guid instanceId, Guid waitId, Value result, ActivityFailure? failure, Action? done = null)
    : LaneCommand
{
    private bool _isRefused;

    public bool IsFailure => failure is not null;
    public override Guid SubjectId => waitId;
    public override long Size => result.Weight;
    public override string Description => $"activity result for instance {instanceId}";
    public override bool CanDeadLetter => true;

    /// <summary>Replaces a result that cannot be stored by a failure.</summary>
    public ActivityLaneCommand ToFailure(string message) =>
        new(instanceId, waitId, result, new(message, IsFinal: true), done) { _isRefused = true };

    /// <summary>The dead letter holds the result of the activity, not the refusal.</summary>
    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Activities.DeadLetter(
            instanceId, waitId, failure is null || _isRefused ? result : null, _isRefused ? null : failure,
            deadLetterId, reason, attempts);

    public override void Apply(LaneState lane) => lane.Activities.Finish(instanceId, waitId, result, failure);
    public override void Acknowledge() => done?.Invoke();
    public override void Fail(Exception error) => done?.Invoke();
}
