using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Instances;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <content>Activities: their attempts, and how the last one resumes the instance.</content>
internal sealed partial class LaneExecutor
{
    public void BeginActivity(LiveInstance instance, Wait wait, Activity activity)
    {
        BeginTimer(instance, wait);
        Launch(instance, wait, activity);
    }

    public void FinishActivity(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure)
    {
        if (State.Instances.GetValueOrDefault(instanceId) is not { } instance
            || instance.FindWait(waitId) is not { IsReady: false } wait)
        {
            return;
        }

        Batch.Touch(instance);
        var step = (InvokeStep)instance.Definition.Steps[wait.Step];
        failure ??= StoreLimits.ValueProblem(result, _options.Limits.MaxInstanceSize) is { } problem ? new($"its result {problem}") : null;
        if (failure is not null && TryRetry(instance, wait, step, failure))
        {
            Rest(instance);
            return;
        }

        instance.Waits.Remove(wait);
        if (failure is null)
        {
            GoOn(instance, wait, result);
        }
        else
        {
            var attempted = wait with { Attempts = new((wait.Attempts?.Failed ?? 0) + 1, null) };
            GoOn(instance, attempted, Value.Null, ErrorOf(step, failure, wait.Attempts));
        }
    }

    /// <summary>
    /// Schedules the next attempt durably, if the step's policy has one left. Each attempt has a wait id of its own, so that a late result
    /// of the last attempt does not count for the next.
    /// </summary>
    public bool TryRetry(LiveInstance instance, Wait wait, InvokeStep step, ActivityFailure failure)
    {
        var failed = (wait.Attempts?.Failed ?? 0) + 1;
        if (failure.IsFinal || step.Retry is not { } policy || failed >= policy.MaxAttempts)
        {
            return false;
        }

        var due = _now + policy.PauseAfter(failed);
        var next = wait with { Id = _runtime.NewId(_now), Attempts = new(failed, due) };
        instance.Waits.Remove(wait);
        InstanceHistory.Append(instance, _now, "attemptFailed", step.Id,
            string.Create(CultureInfo.InvariantCulture, $"{failed} of {policy.MaxAttempts}, the next one at {due:O}: {failure.Message}"));
        BeginTimer(instance, next);
        State.Timers.Add(TimerEntry.ForWait(due, instance.Id, next.Id));
        return true;
    }

    /// <summary>The failure as an error: the activity, its attempts and the last error.</summary>
    public static InstanceError ErrorOf(InvokeStep step, ActivityFailure failure, ActivityAttempts? before)
    {
        var attempt = (before?.Failed ?? 0) + 1;
        var message = step.Retry is not { MaxAttempts: > 1 } policy ? $"Activity '{step.Activity}' failed: {failure.Message}"
            : attempt < policy.MaxAttempts ? $"Activity '{step.Activity}' failed in attempt {attempt} of {policy.MaxAttempts} and is not "
                + $"called again: {failure.Message}"
            : $"Activity '{step.Activity}' failed in each of {attempt} attempts; the last time: {failure.Message}";
        return new(message, step.Id, Code: failure.Code);
    }

    /// <summary>The pause before an attempt is over.</summary>
    private void Retry(LiveInstance instance, Wait wait)
    {
        Batch.Touch(instance);
        var attempt = wait with { Attempts = wait.Attempts! with { NextUtc = null } };
        instance.Waits[instance.Waits.IndexOf(wait)] = attempt;
        if (FindActivity(wait.Name!) is not { } activity)
        {
            FinishActivity(instance.Id, attempt.Id, default, new("it is not registered with this engine", IsFinal: true));
        }
        else if (activity.Inline)
        {
            var (result, failure) = InlineCall.Of(activity, attempt.Input, _options.Limits.MaxInstanceSize);
            FinishActivity(instance.Id, attempt.Id, result, failure);
        }
        else
        {
            Launch(instance, attempt, activity);
            Rest(instance);
        }
    }

    private void Launch(LiveInstance instance, Wait wait, Activity activity) =>
        Batch.Launches.Add(() => _host.LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace));

    /// <summary>The instance stays where it is; the batch, which holds it already, writes it.</summary>
    private void Rest(LiveInstance instance)
    {
        instance.State = instance.StateAtRest;
        instance.UpdatedUtc = _now;
    }
}
