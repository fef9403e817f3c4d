using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Activities;

/// <summary>Executes the attempts of activities. The last attempt resumes the instance.</summary>
internal sealed class ActivityHandler(InstanceHandler instances, DeadLetterHandler deadLetters, LaneState lane)
    : WaitHandler(instances)
{
    private int MaxInstanceSize => lane.Options.Limits.MaxInstanceSize;

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        Begin(instance, (InvokeStep)step, scope);

    /// <summary>
    /// Handles the result or failure of an activity. Nothing happens if its wait has ended; an instance with a running
    /// activity is in memory.
    /// </summary>
    public void Finish(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure)
    {
        if (lane.Dormancy.FindResident(instanceId) is not { } instance
            || instance.FindWait(waitId) is not { IsReady: false } wait)
        {
            return;
        }

        lane.Batch.Touch(instance);
        var step = (InvokeStep)instance.Definition.Steps[wait.Step];
        failure ??= StoreLimits.ValueProblem(result, MaxInstanceSize) is { } problem
            ? new($"its result {problem}")
            : null;
        if (failure is not null && TryRetry(instance, wait, step, failure))
        {
            Instances.Tokens.UpdateStateAtRest(instance);
            return;
        }

        instance.Waits.Remove(wait);
        if (failure is null)
        {
            Instances.Tokens.Continue(instance, wait, result);
        }
        else
        {
            var attempted = wait with
            {
                Attempts = new((wait.Attempts?.Failed ?? 0) + 1, null, failure.ToError(wait.Step)),
            };
            Instances.Tokens.Continue(instance, attempted, Value.Null, ErrorOf(step, failure, wait.Attempts));
        }
    }

    public override void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        var step = (InvokeStep)instance.Definition.Steps[wait.Step];
        if (error is not null)
        {
            Instances.Tokens.ContinueWithError(instance, wait, step, "activityFailed", error);
        }
        else
        {
            Instances.Tokens.Continue(instance, wait, step, value, "resumed", detail: null);
        }
    }

    public override void End(LiveInstance instance, Wait wait, TaskState state) => Forget(wait);

    /// <summary>
    /// A running activity continues. An activity that waits for a slot is called when the instance is resumed.
    /// </summary>
    public override void Suspend(LiveInstance instance, Wait wait)
    {
        if (wait.IsActivityRunning)
        {
            Forget(wait);
        }
    }

    public override void Wake(LiveInstance instance, Wait wait)
    {
        if (!wait.IsActivityRunning || deadLetters.Index.Contains(DeadLetterKind.Activity, wait.Id))
        {
            return;
        }

        if (lane.Host.FindActivity(wait.Name!) is { } activity)
        {
            // An activity that was called before and has not returned is not called again.
            Launch(instance, wait, activity);
        }
        else
        {
            var error = new InstanceError(
                $"Activity '{wait.Name}' failed: it is not registered with this engine", wait.Step);
            instance.Waits[instance.Waits.IndexOf(wait)] = new EndedWait(wait, Value.Null, error);
        }
    }

    /// <summary>Starts the next attempt after its pause.</summary>
    public override void BeginAttempt(LiveInstance instance, Wait wait)
    {
        lane.Batch.Touch(instance);
        var attempt = wait with { Attempts = wait.Attempts! with { NextUtc = null } };
        instance.Waits[instance.Waits.IndexOf(wait)] = attempt;
        if (lane.Host.FindActivity(wait.Name!) is not { } activity)
        {
            Finish(instance.Id, attempt.Id, default, new("it is not registered with this engine", IsFinal: true));
        }
        else if (activity.Inline)
        {
            var (result, failure) = InlineCall.Invoke(activity, attempt.Input, MaxInstanceSize);
            Finish(instance.Id, attempt.Id, result, failure);
        }
        else
        {
            Launch(instance, attempt, activity);
            Instances.Tokens.UpdateStateAtRest(instance);
        }
    }

    /// <summary>
    /// Turns the result of an activity into a dead letter. The wait stays. Nothing happens if the wait has ended.
    /// </summary>
    public void DeadLetter(
        Guid instanceId, Guid waitId, Value? result, ActivityFailure? failure, Guid deadLetterId, string reason,
        int attempts)
    {
        if (lane.Dormancy.FindResident(instanceId)?.FindWait(waitId) is { } wait)
        {
            var content = new DeadActivity(
                instanceId, waitId, wait.Step, wait.Name!, result?.ToJsonElement(), failure?.Message,
                failure?.IsFinal ?? false,
                failure?.Code);
            deadLetters.Add(
                new(DeadLetterKind.Activity, Partitioning.OfInstance(instanceId), waitId, instanceId, content),
                deadLetterId, reason,
                attempts);
        }
    }

    private void Begin(LiveInstance instance, InvokeStep step, int scope)
    {
        var steps = Instances.Steps;
        if (lane.Host.FindActivity(step.Activity) is not { } activity)
        {
            steps.FailInstance(new(
                $"Activity '{step.Activity}' is not registered with this engine. Register it and start again.",
                step.Id));
            return;
        }

        if (!steps.TryEvaluate(instance, step.Id, step.Input, out var input))
        {
            return;
        }

        if (!activity.Inline)
        {
            if (steps.TryAddWait(instance, step, input))
            {
                InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, step.Activity);
                var wait = NewWait(step, input, scope);
                Instances.BeginWait(instance, wait);
                Launch(instance, wait, activity);
            }

            return;
        }

        var (result, failure) = InlineCall.Invoke(activity, input, MaxInstanceSize);
        if (failure is null)
        {
            instance.Assign(step.Result, result);
            Instances.Interpreter.Go(step.Next, scope);
        }
        else if (step.Retry is not null && !steps.TryAddWait(instance, step, input))
        {
            // The instance cannot have another wait for the retry.
        }
        else if (step.Retry is null || !TryRetry(instance, NewWait(step, input, scope), step, failure))
        {
            Instances.Interpreter.GoToErrorStep(instance, step, "activityFailed", ErrorOf(step, failure, null), scope);
        }
    }

    private Wait NewWait(InvokeStep step, Value input, int scope) =>
        Instances.NewWait(step.Id, WaitKind.Activity, scope) with
        {
            Name = step.Activity,
            Input = input,
            DueUtc = step.Timeout is { } timeout ? lane.Now + timeout : null,
        };

    /// <summary>
    /// Schedules the next attempt durably if the retry policy allows one. Each attempt has its own wait id, so that a
    /// late result of the previous attempt does not count.
    /// </summary>
    private bool TryRetry(LiveInstance instance, Wait wait, InvokeStep step, ActivityFailure failure)
    {
        var failed = (wait.Attempts?.Failed ?? 0) + 1;
        if (failure.IsFinal || step.Retry is not { } policy || failed >= policy.MaxAttempts)
        {
            return false;
        }

        var due = lane.Now + policy.PauseAfter(failed);
        var next = wait with { Id = lane.NewId(), Attempts = new(failed, due, failure.ToError(step.Id)) };
        instance.Waits.Remove(wait);
        InstanceHistory.Append(instance, lane.Now, "attemptFailed", step.Id, string.Create(
            CultureInfo.InvariantCulture,
            $"{failed} of {policy.MaxAttempts}, the next one at {due:O}: {failure.Message}"));
        Instances.BeginWait(instance, next);
        return true;
    }

    /// <summary>Creates the error from the activity, its attempts and the last failure.</summary>
    private static InstanceError ErrorOf(InvokeStep step, ActivityFailure failure, ActivityAttempts? before)
    {
        var attempt = (before?.Failed ?? 0) + 1;
        var attempts = step.Retry?.MaxAttempts ?? 1;
        var how = attempts <= 1 ? "failed"
            : attempt < attempts ? $"failed in attempt {attempt} of {attempts} and is not called again"
            : $"failed in each of {attempt} attempts; the last time";
        return new($"Activity '{step.Activity}' {how}: {failure.Message}", step.Id, Code: failure.Code);
    }

    private void Launch(LiveInstance instance, Wait wait, Activity activity) =>
        lane.Batch.Launches.Add(
            () => lane.Host.LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace));

    private void Forget(Wait wait) => lane.Batch.Launches.Add(() => lane.Host.ForgetActivity(wait.Id));

    /// <returns>False if the wait has ended.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var activity = DeadLetterDraft.Read<DeadActivity>(deadLetter.Payload);
        if (lane.Dormancy.FindResident(activity.InstanceId)?.FindWait(activity.WaitId) is null)
        {
            return false;
        }

        var result = activity.Result is { } json ? Value.From(json) : Value.Null;
        Finish(activity.InstanceId, activity.WaitId, result,
            activity.Failure is { } message ? new(message, activity.IsFinal, activity.Code) : null);
        return true;
    }
}
