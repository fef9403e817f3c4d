using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Activities;

/// <summary>Activities: their attempts, and how the last one resumes the instance.</summary>
internal sealed class ActivityHandler : WaitHandler
{
    private readonly LaneContext _lane;
    private readonly DeadLetterHandler _deadLetters;

    public ActivityHandler(InstanceHandler instances, DeadLetterHandler deadLetters, LaneContext lane)
        : base(instances)
    {
        _lane = lane;
        _deadLetters = deadLetters;
        deadLetters.Replays[DeadLetterKind.Activity] = deadLetter => Replay(DeadLetterDraft.Read<DeadActivity>(deadLetter.Payload));
        instances.Waits[WaitKind.Activity] = this;
    }

    private int MaxInstanceSize => _lane.Options.Limits.MaxInstanceSize;

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) => Begin(instance, (InvokeStep)step, scope);

    /// <summary>An activity has returned or failed. Nothing happens when its wait is over.</summary>
    public void Finish(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure)
    {
        if (Instances.Live.GetValueOrDefault(instanceId) is not { } instance
            || instance.FindWait(waitId) is not { IsReady: false } wait)
        {
            return;
        }

        _lane.Batch.Touch(instance);
        var step = (InvokeStep)instance.Definition.Steps[wait.Step];
        failure ??= StoreLimits.ValueProblem(result, MaxInstanceSize) is { } problem ? new($"its result {problem}") : null;
        if (failure is not null && TryRetry(instance, wait, step, failure))
        {
            Instances.Tokens.Rest(instance);
            return;
        }

        instance.Waits.Remove(wait);
        if (failure is null)
        {
            Instances.Tokens.GoOn(instance, wait, result);
        }
        else
        {
            var attempted = wait with { Attempts = new((wait.Attempts?.Failed ?? 0) + 1, null) };
            Instances.Tokens.GoOn(instance, attempted, Value.Null, ErrorOf(step, failure, wait.Attempts));
        }
    }

    public override void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        var step = (InvokeStep)instance.Definition.Steps[wait.Step];
        if (error is not null)
        {
            Instances.Tokens.TakeErrorWay(instance, wait, step, "activityFailed", error);
        }
        else
        {
            Instances.Tokens.GoOn(instance, wait, step, value, "resumed", detail: null);
        }
    }

    public override void End(LiveInstance instance, Wait wait, TaskState state) => Forget(wait);

    /// <summary>What was called runs on; what waits for its turn is called once the instance is resumed.</summary>
    public override void Suspend(LiveInstance instance, Wait wait)
    {
        if (wait.IsActivityRunning)
        {
            Forget(wait);
        }
    }

    public override void Wake(LiveInstance instance, Wait wait)
    {
        if (!wait.IsActivityRunning || _deadLetters.Index.Contains(DeadLetterKind.Activity, wait.Id))
        {
            return;
        }

        if (_lane.Host.FindActivity(wait.Name!) is { } activity)
        {
            // If it was called before and has not returned, it is not called once more.
            Launch(instance, wait, activity);
        }
        else
        {
            var error = new InstanceError($"Activity '{wait.Name}' failed: it is not registered with this engine", wait.Step);
            instance.Waits[instance.Waits.IndexOf(wait)] = new EndedWait(wait, Value.Null, error);
        }
    }

    /// <summary>The pause before an attempt is over.</summary>
    public override void BeginAttempt(LiveInstance instance, Wait wait)
    {
        _lane.Batch.Touch(instance);
        var attempt = wait with { Attempts = wait.Attempts! with { NextUtc = null } };
        instance.Waits[instance.Waits.IndexOf(wait)] = attempt;
        if (_lane.Host.FindActivity(wait.Name!) is not { } activity)
        {
            Finish(instance.Id, attempt.Id, default, new("it is not registered with this engine", IsFinal: true));
        }
        else if (activity.Inline)
        {
            var (result, failure) = InlineCall.Of(activity, attempt.Input, MaxInstanceSize);
            Finish(instance.Id, attempt.Id, result, failure);
        }
        else
        {
            Launch(instance, attempt, activity);
            Instances.Tokens.Rest(instance);
        }
    }

    /// <summary>The result of an activity becomes a dead letter; the wait stays. Nothing happens when the wait is over.</summary>
    public void DeadLetter(
        Guid instanceId, Guid waitId, Value? result, ActivityFailure? failure, Guid deadLetterId, string reason, int attempts)
    {
        if (Instances.Live.GetValueOrDefault(instanceId)?.FindWait(waitId) is { } wait)
        {
            var content = new DeadActivity(
                instanceId, waitId, wait.Step, wait.Name!, result?.ToJsonElement(), failure?.Message, failure?.IsFinal ?? false,
                failure?.Code);
            _deadLetters.Add(
                new(DeadLetterKind.Activity, Partitioning.OfInstance(instanceId), waitId, instanceId, content), deadLetterId, reason,
                attempts);
        }
    }

    private void Begin(LiveInstance instance, InvokeStep step, int scope)
    {
        var steps = Instances.Steps;
        if (_lane.Host.FindActivity(step.Activity) is not { } activity)
        {
            steps.Exceed(new($"Activity '{step.Activity}' is not registered with this engine. Register it and start again.", step.Id));
            return;
        }

        if (!steps.TryEvaluate(instance, step.Id, step.Input, out var input))
        {
            return;
        }

        if (!activity.Inline)
        {
            if (steps.TryRest(instance, step, input))
            {
                InstanceHistory.Append(instance, _lane.Now, "waiting", step.Id, step.Activity);
                var wait = NewWait(step, input, scope);
                Instances.BeginWait(instance, wait);
                Launch(instance, wait, activity);
            }

            return;
        }

        var (result, failure) = InlineCall.Of(activity, input, MaxInstanceSize);
        if (failure is null)
        {
            instance.Assign(step.Result, result);
            Instances.Interpreter.Go(step.Next, scope);
        }
        else if (step.Retry is not null && !steps.TryRest(instance, step, input))
        {
            // Its retry would be one wait too many.
        }
        else if (step.Retry is null || !TryRetry(instance, NewWait(step, input, scope), step, failure))
        {
            Instances.Interpreter.GoByError(instance, step, "activityFailed", ErrorOf(step, failure, null), scope);
        }
    }

    private Wait NewWait(InvokeStep step, Value input, int scope) => Instances.NewWait(step.Id, WaitKind.Activity, scope) with
    {
        Name = step.Activity,
        Input = input,
        DueUtc = step.Timeout is { } timeout ? _lane.Now + timeout : null,
    };

    /// <summary>
    /// Schedules the next attempt durably, if the step's policy has one left. Each attempt has a wait id of its own, so that a late result
    /// of the last attempt does not count for the next.
    /// </summary>
    private bool TryRetry(LiveInstance instance, Wait wait, InvokeStep step, ActivityFailure failure)
    {
        var failed = (wait.Attempts?.Failed ?? 0) + 1;
        if (failure.IsFinal || step.Retry is not { } policy || failed >= policy.MaxAttempts)
        {
            return false;
        }

        var due = _lane.Now + policy.PauseAfter(failed);
        var next = wait with { Id = _lane.NewId(), Attempts = new(failed, due) };
        instance.Waits.Remove(wait);
        InstanceHistory.Append(instance, _lane.Now, "attemptFailed", step.Id,
            string.Create(CultureInfo.InvariantCulture, $"{failed} of {policy.MaxAttempts}, the next one at {due:O}: {failure.Message}"));
        Instances.BeginWait(instance, next);
        return true;
    }

    /// <summary>The failure as an error: the activity, its attempts and the last error.</summary>
    private static InstanceError ErrorOf(InvokeStep step, ActivityFailure failure, ActivityAttempts? before)
    {
        var attempt = (before?.Failed ?? 0) + 1;
        var message = step.Retry is not { MaxAttempts: > 1 } policy ? $"Activity '{step.Activity}' failed: {failure.Message}"
            : attempt < policy.MaxAttempts ? $"Activity '{step.Activity}' failed in attempt {attempt} of {policy.MaxAttempts} and is not "
                + $"called again: {failure.Message}"
            : $"Activity '{step.Activity}' failed in each of {attempt} attempts; the last time: {failure.Message}";
        return new(message, step.Id, Code: failure.Code);
    }

    private void Launch(LiveInstance instance, Wait wait, Activity activity) =>
        _lane.Batch.Launches.Add(() => _lane.Host.LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace));

    private void Forget(Wait wait) => _lane.Batch.Launches.Add(() => _lane.Host.ForgetActivity(wait.Id));

    private bool Replay(DeadActivity activity)
    {
        if (Instances.Live.GetValueOrDefault(activity.InstanceId)?.FindWait(activity.WaitId) is null)
        {
            return false;
        }

        var result = activity.Result is { } json ? Value.From(json) : Value.Null;
        Finish(activity.InstanceId, activity.WaitId, result,
            activity.Failure is { } message ? new(message, activity.IsFinal, activity.Code) : null);
        return true;
    }
}
