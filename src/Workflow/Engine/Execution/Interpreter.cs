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
                Fail(instance, new(Text(fail.Error.Evaluate(instance.Variables)) ?? Written(fail.Error), id));
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
        if (step.Correlation is { } correlation && (key = Text(correlation.Evaluate(instance.Variables))) is null)
        {
            Fail(instance, Missing(instance, step.Id, "correlation", correlation, "text or a number"));
            return;
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
        var text = Text(source.Evaluate(instance.Variables));
        DateTimeOffset due;
        if (step.Duration is not null && text is not null && IsoDuration.TryParse(text, out var duration, out _))
        {
            due = executor.Now + duration;
        }
        else if (step.Until is null || text is null
            || !DateTimeOffset.TryParse(
                text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out due))
        {
            var wanted = step.Duration is null
                ? "an ISO 8601 instant such as 2026-01-31T12:00:00Z"
                : "a duration such as PT2S that is not negative";
            Fail(instance, Missing(instance, step.Id, step.Duration is null ? "until" : "duration", source, wanted));
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

    private static InstanceError Missing(LiveInstance instance, string step, string member, Template source, string wanted)
    {
        var variables = instance.Variables.Count == 0 ? "none" : string.Join(", ", instance.Variables.Keys.Order(StringComparer.Ordinal));
        return new($"Step '{step}' needs {wanted} for '{member}', but {Written(source)} gave {Shown(source.Evaluate(instance.Variables))}. "
            + $"Variables: {variables}.", step, Written(source));
    }

    /// <summary>The template as its author wrote it: text without the quotes of JSON.</summary>
    private static string Written(Template source) => Text(Value.Parse(source.Source)) ?? source.Source;

    private static string Shown(Value value)
    {
        var text = value.ToString();
        return text.Length <= 80 ? text : text[..80] + "...";
    }

    private static string? Text(Value value) => value.Kind switch
    {
        ValueKind.String => value.AsString(),
        ValueKind.Number => value.AsNumber().ToString(CultureInfo.InvariantCulture),
        _ => null,
    };

    private void CreateTask(LiveInstance instance, TaskStep step, int scope)
    {
        var assignee = step.Assignee?.Evaluate(instance.Variables) ?? Value.Null;
        if (!assignee.IsNull && NameOf(assignee) is null)
        {
            Fail(instance, BadName(instance, step.Id, "assignee", step.Assignee!));
            return;
        }

        var groups = step.Groups?.Evaluate(instance.Variables).AsList().Select(NameOf).Distinct(StringComparer.Ordinal).ToArray() ?? [];
        if (groups.Contains(null))
        {
            Fail(instance, BadName(instance, step.Id, "groups", step.Groups!));
            return;
        }

        var wait = executor.NewWait(step.Id, WaitKind.Task, scope) with
        {
            Id = executor.NewId(instance.Partition),
            Name = NameOf(assignee),
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, wait.Name);
        executor.BeginTask(instance, wait, groups!);
    }

    private static Contracts.Instances.InstanceError BadName(LiveInstance instance, string step, string member, Template source) =>
        Missing(instance, step, member, source, $"names of 1 to {CommandChecks.MaxAssignee} characters");

    /// <summary>The name of a person or a group; null where the value is none that every store keeps.</summary>
    private static string? NameOf(Value value) => Text(value) is { } text && CommandChecks.IsName(text) ? text : null;

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
