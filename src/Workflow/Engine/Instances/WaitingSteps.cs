using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Lanes;

namespace Workflow.Engine.Instances;

/// <summary>The steps at which a token may come to rest: they begin a wait, or go on at once.</summary>
internal sealed class WaitingSteps(Interpreter interpreter, LaneExecutor executor)
{
    /// <summary>Nesting of calls: deeper ones are definitions that call one another in a circle.</summary>
    private const int MaxCallDepth = 32;

    /// <summary>Characters of an instant: nothing longer is read as one.</summary>
    private const int LongestInstant = 64;

    /// <summary>Begins the wait of a step itself, without what is at its boundary.</summary>
    public void Begin(LiveInstance instance, AwaitingStep step, int scope)
    {
        switch (step)
        {
            case WaitSignalStep wait:
                Begin(instance, wait, scope);
                break;
            case TaskStep task:
                Begin(instance, task, scope);
                break;
            case InvokeStep invoke:
                Begin(instance, invoke, scope);
                break;
            case CallStep call:
                Begin(instance, call, scope);
                break;
            default:
                throw new InvalidOperationException($"A step of type '{step.Type}' does not wait by itself.");
        }
    }

    private void Begin(LiveInstance instance, WaitSignalStep step, int scope)
    {
        if (!TryKey(instance, step.Id, step.Correlation, out var key) || !interpreter.TryRest(instance, step))
        {
            return;
        }

        var wait = executor.NewWait(step.Id, WaitKind.Signal, scope) with
        {
            Name = step.Signal,
            Key = key,
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, step.Signal);
        if (executor.TryBeginSignalWait(instance, wait, out var payload)
            && interpreter.TrySpend(step.Id, Evaluation.WorkOfWriting(payload)))
        {
            InstanceHistory.Append(instance, executor.Now, "signalled", step.Id, step.Signal);
            instance.Assign(step.Result, payload);
            interpreter.Go(step.Next, scope);
        }
    }

    public void Begin(LiveInstance instance, DelayStep step, int scope)
    {
        if (!TryDue(instance, step.Id, step.Duration, step.Until, out var due) || !interpreter.TryRest(instance, step))
        {
            return;
        }

        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id);
        executor.BeginTimer(instance, executor.NewWait(step.Id, WaitKind.Delay, scope) with { DueUtc = due });
    }

    /// <summary>Evaluates a correlation; a null key where there is none.</summary>
    /// <returns>False when it gives no key: the step has failed.</returns>
    public bool TryKey(LiveInstance instance, string step, Template? correlation, out string? key)
    {
        key = null;
        if (correlation is null)
        {
            return true;
        }

        if (!interpreter.TryEvaluate(instance, step, correlation, out var value))
        {
            return false;
        }

        key = StepValues.Text(value);
        var problem = key is null ? null : StoreLimits.TextProblem(key, StoreLimits.MaxCorrelationKey);
        if (key is not null && problem is null)
        {
            return true;
        }

        interpreter.Fail(StepValues.Unusable(instance, step, "correlation", correlation, value, "text or a number", problem));
        return false;
    }

    /// <summary>Evaluates a duration from now, or an instant.</summary>
    /// <returns>False when it gives none: the step has failed.</returns>
    public bool TryDue(LiveInstance instance, string step, Template? duration, Template? until, out DateTimeOffset due)
    {
        due = default;
        var source = (duration ?? until)!;
        if (!interpreter.TryEvaluate(instance, step, source, out var value))
        {
            return false;
        }

        var text = StepValues.Text(value);
        if (duration is not null && text is not null && IsoDuration.TryParse(text, out var time, out _))
        {
            due = executor.Now + time;
            return true;
        }

        if (until is not null && text is { Length: <= LongestInstant }
            && DateTimeOffset.TryParse(
                text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out due)
            && StoreLimits.InstantProblem(due) is null)
        {
            return true;
        }

        var wanted = duration is null
            ? $"an ISO 8601 instant such as 2026-01-31T12:00:00Z, at the latest {StoreLimits.LatestInstant:yyyy-MM-dd}"
            : $"a duration such as PT2S that is not negative, at most P{IsoDuration.Longest.Days}D";
        interpreter.Fail(StepValues.Unusable(instance, step, duration is null ? "until" : "duration", source, value, wanted));
        return false;
    }

    private void Begin(LiveInstance instance, InvokeStep step, int scope)
    {
        if (executor.FindActivity(step.Activity) is not { } activity)
        {
            interpreter.Exceed(
                new($"Activity '{step.Activity}' is not registered with this engine. Register it and start again.", step.Id));
            return;
        }

        if (!interpreter.TryEvaluate(instance, step.Id, step.Input, out var input))
        {
            return;
        }

        if (!activity.Inline)
        {
            if (!interpreter.TryRest(instance, step, input))
            {
                return;
            }

            InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, step.Activity);
            executor.BeginActivity(instance, ActivityWait(step, input, scope), activity);
            return;
        }

        var (result, failure) = InlineCall.Of(activity, input, interpreter.MaxInstanceSize);
        if (failure is null)
        {
            instance.Assign(step.Result, result);
            interpreter.Go(step.Next, scope);
        }
        else if (step.Retry is not null && !interpreter.TryRest(instance, step, input))
        {
            // Its retry would be one wait too many.
        }
        else if (step.Retry is null || !executor.TryRetry(instance, ActivityWait(step, input, scope), step, failure))
        {
            HandleError(instance, step, "activityFailed", LaneExecutor.ErrorOf(step, failure, null), scope);
        }
    }

    public void HandleError(LiveInstance instance, CallingStep step, string what, InstanceError error, int scope)
    {
        if (step.OnError is not null)
        {
            InstanceHistory.Append(instance, executor.Now, what, step.Id, error.Message);
            instance.Assign(step.ErrorResult, StepValues.OfError(error));
            interpreter.Go(step.OnError, scope);
        }
        else
        {
            interpreter.Fail(error, what);
        }
    }

    private Wait ActivityWait(InvokeStep step, Value input, int scope) => executor.NewWait(step.Id, WaitKind.Activity, scope) with
    {
        Name = step.Activity,
        Input = input,
        DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
    };

    private void Begin(LiveInstance instance, TaskStep step, int scope)
    {
        if (!interpreter.TryEvaluate(instance, step.Id, step.Assignee, out var assignee)
            || !interpreter.TryEvaluate(instance, step.Id, step.Groups, out var named)
            || !interpreter.TryRest(instance, step, named))
        {
            return;
        }

        if (!assignee.IsNull && StepValues.NameOf(assignee) is null)
        {
            interpreter.Fail(StepValues.BadName(instance, step.Id, "assignee", step.Assignee!, assignee, assignee));
            return;
        }

        string?[] groups = [];
        if (step.Groups is not null)
        {
            // Texts that are too long together are null, as every list over the limit is.
            var names = named.Kind == ValueKind.List ? named.AsList() : [Value.Null];
            groups = [.. names.Select(StepValues.NameOf).Distinct(StringComparer.Ordinal)];
            if (groups.Contains(null))
            {
                var bad = names.First(name => StepValues.NameOf(name) is null);
                interpreter.Fail(StepValues.BadName(instance, step.Id, "groups", step.Groups, named, bad));
                return;
            }
        }

        var wait = executor.NewWait(step.Id, WaitKind.Task, scope) with
        {
            Id = executor.NewId(instance.Partition),
            Name = StepValues.NameOf(assignee),
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, wait.Name);
        executor.BeginTask(instance, wait, groups!);
    }

    private void Begin(LiveInstance instance, CallStep step, int scope)
    {
        if (!interpreter.TryEvaluate(instance, step.Id, step.Input, out var input)
            || !TryCall(instance, step, (step.Definition, step.Version), input, out var definition, out var error))
        {
            return;
        }

        if (error is not null)
        {
            HandleError(instance, step, "callFailed", error, scope);
            return;
        }

        var wait = executor.NewWait(step.Id, WaitKind.Call, scope) with
        {
            Id = executor.NewId(instance.Partition),
            Name = step.Definition,
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, wait.Id.ToString());
        executor.BeginCall(instance, wait, definition!, input);
    }

    /// <summary>Before a call: what it costs, and whether there is what is called.</summary>
    /// <param name="definition">What is called; null when there is an error.</param>
    /// <returns>False when the instance may not call: the step has failed.</returns>
    public bool TryCall(
        LiveInstance instance, CallingStep step, (string Name, int? Version) called, Value input, out WorkflowDefinition? definition,
        out InstanceError? error)
    {
        definition = null;
        error = null;
        if (!interpreter.TryRest(instance, step, input) || !interpreter.TrySpend(step.Id, CommandBudget.CallWork))
        {
            return false;
        }

        definition = executor.FindDefinition(called.Name, called.Version);
        var problem = definition is null ? "it is not registered. Register it with POST "
            + $"/definitions{(called.Version is { } version ? $", version {version}," : "")} and start again."
            : input.Kind is not (ValueKind.Null or ValueKind.Context)
                ? $"its input is a {input.Kind}; it must be an object whose members become the first variables."
            : instance.Depth >= MaxCallDepth ? $"{instance.Depth} calls lie above it already: definitions call one another in a circle."
            : null;
        if (problem is not null)
        {
            definition = null;
            error = new($"Sub-workflow '{called.Name}' was not started: {problem}", step.Id);
        }

        return true;
    }
}
