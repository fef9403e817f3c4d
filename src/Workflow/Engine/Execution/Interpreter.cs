using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Execution;

/// <summary>Moves the tokens of an instance until each waits or has finished. An error in a step fails the instance alone.</summary>
internal sealed class Interpreter(LaneExecutor executor, int maxSteps)
{
    /// <summary>Nesting of calls: deeper ones are definitions that call one another in a circle.</summary>
    private const int MaxCallDepth = 32;

    private const int PathTail = 10;

    /// <summary>Characters of an instant: nothing longer is read as one.</summary>
    private const int LongestInstant = 64;

    private readonly Stack<(string Step, int Scope)> _tokens = new();
    private readonly Queue<string> _path = new();
    private int _executed;

    /// <summary>A command begins: the limit of steps counts over all its instances.</summary>
    public void Begin()
    {
        _executed = 0;
        _path.Clear();
    }

    public void Run(LiveInstance instance, string step, int scope)
    {
        _tokens.Clear();
        _tokens.Push((step, scope));
        while (!instance.IsFinished && _tokens.TryPop(out var token))
        {
            if (++_executed > maxSteps - PathTail)
            {
                _path.Enqueue(token.Step);
            }

            if (_executed > maxSteps)
            {
                Fail(instance, new($"One command executed more than {maxSteps} steps, so the definition loops: ... "
                    + $"{string.Join(" > ", _path.TakeLast(PathTail + 1))}. Put a wait into the loop, or raise MaxStepsPerCommand.",
                    token.Step));
                return;
            }

            Execute(instance, token.Step, token.Scope);
        }

        CompleteOrRest(instance);
    }

    private void Execute(LiveInstance instance, string id, int scope)
    {
        var step = instance.Definition.Steps[id];
        switch (step)
        {
            case SetStep set:
                Set(instance, set);
                Go(set.Next, scope);
                break;
            case DecideStep decide:
                Go(decide.Cases.FirstOrDefault(c => c.When.Evaluate(instance.Variables).IsTrue)?.Next ?? decide.Otherwise, scope);
                break;
            case ForkStep fork:
                Fork(instance, fork, scope);
                break;
            case JoinStep join:
                Join(instance, join, scope);
                break;
            case WaitSignalStep wait:
                WaitSignal(instance, wait, scope);
                break;
            case DelayStep delay:
                Delay(instance, delay, scope);
                break;
            case InvokeStep invoke:
                Invoke(instance, invoke, scope);
                break;
            case TaskStep task:
                CreateTask(instance, task, scope);
                break;
            case CallStep call:
                Call(instance, call, scope);
                break;
            case RaiseStep raise:
                Raise(instance, raise);
                Go(raise.Next, scope);
                break;
            case EndStep end:
                End(instance, end, scope);
                break;
            case FailStep fail:
                Fail(instance, new(StepValues.Text(fail.Error.Evaluate(instance.Variables)) ?? StepValues.Written(fail.Error), id));
                break;
            default:
                Fail(instance, new($"Step '{id}' is of type '{step.Type}', which this engine does not execute.", id));
                break;
        }
    }

    private void CompleteOrRest(LiveInstance instance)
    {
        if (instance.IsFinished)
        {
            return;
        }

        if (instance.Waits.Count == 0)
        {
            executor.Complete(instance);
            return;
        }

        instance.State = instance.StateAtRest;
    }

    private void Go(string next, int scope) => _tokens.Push((next, scope));

    private static void Set(LiveInstance instance, SetStep set)
    {
        if (set.Values.Count == 1)
        {
            instance.Variables[set.Values[0].Key] = set.Values[0].Value.Evaluate(instance.Variables);
            return;
        }

        var values = set.Values.Select(v => v.Value.Evaluate(instance.Variables)).ToArray();
        for (var i = 0; i < values.Length; i++)
        {
            instance.Variables[set.Values[i].Key] = values[i];
        }
    }

    private void Fork(LiveInstance instance, ForkStep fork, int scope)
    {
        var opened = new ForkScope { Id = ++instance.LastScope, Parent = scope, Join = fork.Join, Remaining = fork.Branches.Count };
        instance.Scopes.Add(opened);
        for (var i = fork.Branches.Count - 1; i >= 0; i--)
        {
            Go(fork.Branches[i], opened.Id);
        }
    }

    private void Join(LiveInstance instance, JoinStep join, int scope)
    {
        if (instance.Scopes.Find(s => s.Id == scope && s.Join == join.Id) is not { } met)
        {
            Fail(instance, new($"Join '{join.Id}' was reached from outside its fork.", join.Id));
            return;
        }

        met.Arrived++;
        Close(instance, met);
    }

    /// <summary>One branch less. The last one continues after the join if any branch arrived there; else the fork ends there.</summary>
    private void Close(LiveInstance instance, ForkScope scope)
    {
        if (--scope.Remaining > 0)
        {
            return;
        }

        instance.Scopes.Remove(scope);
        if (scope.Arrived > 0)
        {
            Go(((JoinStep)instance.Definition.Steps[scope.Join]).Next, scope.Parent);
        }
        else if (instance.Scopes.Find(s => s.Id == scope.Parent) is { } parent)
        {
            Close(instance, parent);
        }
    }

    private void WaitSignal(LiveInstance instance, WaitSignalStep step, int scope)
    {
        string? key = null;
        if (step.Correlation is { } correlation)
        {
            var value = correlation.Evaluate(instance.Variables);
            key = StepValues.Text(value);
            var problem = key is null ? null : StoreLimits.TextProblem(key, StoreLimits.MaxCorrelationKey);
            if (key is null || problem is not null)
            {
                Fail(instance, StepValues.Unusable(instance, step.Id, "correlation", correlation, value, "text or a number", problem));
                return;
            }
        }

        var wait = executor.NewWait(step.Id, WaitKind.Signal, scope) with
        {
            Name = step.Signal,
            Key = key,
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, step.Signal);
        if (executor.TryBeginSignalWait(instance, wait, out var payload))
        {
            InstanceHistory.Append(instance, executor.Now, "signalled", step.Id, step.Signal);
            instance.Assign(step.Result, payload);
            Go(step.Next, scope);
        }
    }

    private void Delay(LiveInstance instance, DelayStep step, int scope)
    {
        var source = (step.Duration ?? step.Until)!;
        var value = source.Evaluate(instance.Variables);
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
            Fail(instance, StepValues.Unusable(instance, step.Id, step.Duration is null ? "until" : "duration", source, value, wanted));
            return;
        }

        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id);
        executor.BeginTimer(instance, executor.NewWait(step.Id, WaitKind.Delay, scope) with { DueUtc = due });
    }

    private void Invoke(LiveInstance instance, InvokeStep step, int scope)
    {
        if (executor.FindActivity(step.Activity) is not { } activity)
        {
            Fail(instance, new($"Activity '{step.Activity}' is not registered with this engine. Register it and start again.", step.Id));
            return;
        }

        var input = step.Input?.Evaluate(instance.Variables) ?? Value.Null;
        if (!activity.Inline)
        {
            InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, step.Activity);
            executor.BeginActivity(instance, ActivityWait(step, input, scope), activity);
            return;
        }

        var (result, failure) = InlineCall.Of(activity, input);
        if (failure is null)
        {
            instance.Assign(step.Result, result);
            Go(step.Next, scope);
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
            Go(onError, scope);
        }
        else
        {
            Fail(instance, new(error, step));
        }
    }

    private Wait ActivityWait(InvokeStep step, Value input, int scope) => executor.NewWait(step.Id, WaitKind.Activity, scope) with
    {
        Name = step.Activity,
        Input = input,
        DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
    };

    private void Raise(LiveInstance instance, RaiseStep step)
    {
        var payload = step.Payload?.Evaluate(instance.Variables) ?? Value.Null;
        executor.Raise((id, stamps) => new EventRaised
        {
            Id = id,
            Name = step.Event,
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            Payload = payload.IsNull ? null : payload.ToJsonElement(),
            Timestamps = stamps,
        });
    }

    private void End(LiveInstance instance, EndStep step, int scope)
    {
        if (step.Output is not null)
        {
            instance.Output = step.Output.Evaluate(instance.Variables);
        }

        if (step.Terminate)
        {
            _tokens.Clear();
            executor.Complete(instance);
        }
        else if (instance.Scopes.Find(s => s.Id == scope) is { } branch)
        {
            Close(instance, branch);
        }
    }

    private void Fail(LiveInstance instance, InstanceError error)
    {
        _tokens.Clear();
        executor.Fail(instance, error);
    }

    private void CreateTask(LiveInstance instance, TaskStep step, int scope)
    {
        var assignee = step.Assignee?.Evaluate(instance.Variables) ?? Value.Null;
        if (!assignee.IsNull && StepValues.NameOf(assignee) is null)
        {
            Fail(instance, StepValues.BadName(instance, step.Id, "assignee", step.Assignee!, assignee, assignee));
            return;
        }

        string?[] groups = [];
        if (step.Groups?.Evaluate(instance.Variables) is { } named)
        {
            // Texts that are too long together are null, as every list over the limit is.
            var names = named.Kind == ValueKind.List ? named.AsList() : [Value.Null];
            groups = [.. names.Select(StepValues.NameOf).Distinct(StringComparer.Ordinal)];
            if (groups.Contains(null))
            {
                var bad = names.First(name => StepValues.NameOf(name) is null);
                Fail(instance, StepValues.BadName(instance, step.Id, "groups", step.Groups, named, bad));
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

    private void Call(LiveInstance instance, CallStep step, int scope)
    {
        var input = step.Input?.Evaluate(instance.Variables) ?? Value.Null;
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
