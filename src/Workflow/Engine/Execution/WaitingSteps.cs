using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Execution;

/// <summary>The steps at which a token may come to rest: they begin a wait, or go on at once.</summary>
internal sealed class WaitingSteps(Interpreter interpreter, LaneExecutor executor)
{
    /// <summary>Nesting of calls: deeper ones are definitions that call one another in a circle.</summary>
    private const int MaxCallDepth = 32;

    /// <summary>Characters of an instant: nothing longer is read as one.</summary>
    private const int LongestInstant = 64;

    public void Begin(LiveInstance instance, WaitSignalStep step, int scope)
    {
        string? key = null;
        if (step.Correlation is { } correlation)
        {
            if (!interpreter.TryEvaluate(instance, step.Id, correlation, out var value))
            {
                return;
            }

            key = StepValues.Text(value);
            var problem = key is null ? null : StoreLimits.TextProblem(key, StoreLimits.MaxCorrelationKey);
            if (key is null || problem is not null)
            {
                interpreter.Fail(
                    instance, StepValues.Unusable(instance, step.Id, "correlation", correlation, value, "text or a number", problem));
                return;
            }
        }

        if (!interpreter.TryRest(instance, step))
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
            && interpreter.TrySpend(instance, step.Id, Evaluation.WorkOfWriting(payload)))
        {
            InstanceHistory.Append(instance, executor.Now, "signalled", step.Id, step.Signal);
            instance.Assign(step.Result, payload);
            interpreter.Go(step.Next, scope);
        }
    }

    public void Begin(LiveInstance instance, DelayStep step, int scope)
    {
        var source = (step.Duration ?? step.Until)!;
        if (!interpreter.TryEvaluate(instance, step.Id, source, out var value))
        {
            return;
        }

        var text = StepValues.Text(value);
        DateTimeOffset due;
        if (step.Duration is not null && text is not null && IsoDuration.TryParse(text, out var duration, out _))
        {
            due = executor.Now + duration;
        }
        else if (step.Until is null || text is null or { Length: > LongestInstant }
            || !DateTimeOffset.TryParse(
                text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out due)
            || StoreLimits.InstantProblem(due) is not null)
        {
            var wanted = step.Duration is null
                ? $"an ISO 8601 instant such as 2026-01-31T12:00:00Z, at the latest {StoreLimits.LatestInstant:yyyy-MM-dd}"
                : $"a duration such as PT2S that is not negative, at most P{IsoDuration.Longest.Days}D";
            var member = step.Duration is null ? "until" : "duration";
            interpreter.Fail(instance, StepValues.Unusable(instance, step.Id, member, source, value, wanted));
            return;
        }

        if (!interpreter.TryRest(instance, step))
        {
            return;
        }

        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id);
        executor.BeginTimer(instance, executor.NewWait(step.Id, WaitKind.Delay, scope) with { DueUtc = due });
    }

    public void Begin(LiveInstance instance, InvokeStep step, int scope)
    {
        if (executor.FindActivity(step.Activity) is not { } activity)
        {
            interpreter.Fail(
                instance, new($"Activity '{step.Activity}' is not registered with this engine. Register it and start again.", step.Id));
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
            HandleError(instance, step.Id, step.OnError, "activityFailed", LaneExecutor.ErrorOf(step, failure, null), scope);
        }
    }

    private void HandleError(LiveInstance instance, string step, string? onError, string what, string error, int scope)
    {
        if (onError is not null)
        {
            InstanceHistory.Append(instance, executor.Now, what, step, error);
            interpreter.Go(onError, scope);
        }
        else
        {
            interpreter.Fail(instance, new(error, step));
        }
    }

    private Wait ActivityWait(InvokeStep step, Value input, int scope) => executor.NewWait(step.Id, WaitKind.Activity, scope) with
    {
        Name = step.Activity,
        Input = input,
        DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
    };

    public void Begin(LiveInstance instance, TaskStep step, int scope)
    {
        if (!interpreter.TryEvaluate(instance, step.Id, step.Assignee, out var assignee)
            || !interpreter.TryEvaluate(instance, step.Id, step.Groups, out var named)
            || !interpreter.TryRest(instance, step, named))
        {
            return;
        }

        if (!assignee.IsNull && StepValues.NameOf(assignee) is null)
        {
            interpreter.Fail(instance, StepValues.BadName(instance, step.Id, "assignee", step.Assignee!, assignee, assignee));
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
                interpreter.Fail(instance, StepValues.BadName(instance, step.Id, "groups", step.Groups, named, bad));
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

    public void Begin(LiveInstance instance, CallStep step, int scope)
    {
        if (!interpreter.TryEvaluate(instance, step.Id, step.Input, out var input)
            || !interpreter.TryRest(instance, step, input) || !interpreter.TrySpend(instance, step.Id, CommandBudget.CallWork))
        {
            return;
        }

        var definition = executor.FindDefinition(step.Definition, step.Version);
        var problem = definition is null ? "it is not registered. Register it with POST "
            + $"/definitions{(step.Version is { } version ? $", version {version}," : "")} and start again."
            : input.Kind is not (ValueKind.Null or ValueKind.Context)
                ? $"its input is a {input.Kind}; it must be an object whose members become the first variables."
            : instance.Depth >= MaxCallDepth ? $"{instance.Depth} calls lie above it already: definitions call one another in a circle."
            : null;
        if (problem is not null)
        {
            HandleError(
                instance, step.Id, step.OnError, "callFailed", $"Sub-workflow '{step.Definition}' was not started: {problem}", scope);
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
}
