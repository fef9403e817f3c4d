using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>
/// Arms and handles events: those of a step that waits for the first of several events, and those at the boundary of a
/// waiting step. The waits of one token form a group. They share a scope inside the token's scope and end together.
/// Events at the boundary of a sub-process are in its own scope.
/// </summary>
internal sealed class StepEvents(InstanceHandler instances, Interpreter interpreter, LaneState lane)
{
    private readonly StepEvaluator _steps = instances.Steps;

    /// <summary>Events to arm when the token of the last event is at rest and has read its payload.</summary>
    private readonly Queue<Wait> _later = new();

    public static StepEvent Of(StepDefinition step, Wait wait) =>
        (step is WaitFirstStep first ? first.Events : ((BoundedStep)step).Boundary!)[wait.Event - 1];

    /// <summary>The variable for the value of a wait; null if there is none.</summary>
    public static string? ResultOf(StepDefinition step, Wait wait) =>
        wait.IsEvent ? Of(step, wait).Result : ((AwaitingStep)step).Result;

    /// <summary>
    /// Whether a wait of a group ends its step. Every wait does, except a non-interrupting event and an element.
    /// </summary>
    public static bool Ends(LiveInstance instance, Wait wait) =>
        wait.Event != Wait.Element && (!wait.IsEvent || Of(instance.Definition.Steps[wait.Step], wait).Interrupting);

    /// <summary>The name in the history of an event that ends its step.</summary>
    public static string HistoryWordOf(StepDefinition step) => step is WaitFirstStep ? "chosen" : "interrupted";

    /// <summary>An instance begins to run.</summary>
    public void Clear() => _later.Clear();

    public void Begin(LiveInstance instance, WaitFirstStep step, int scope)
    {
        var group = instance.OpenScope(scope, step.Id, 0).Id;
        if (Prepare(instance, step, step.Events, group) is { } waits)
        {
            Arm(instance, step, waits);
        }

        AbandonIfFailed(instance, group);
    }

    /// <summary>
    /// Starts the timeout of a sub-process and the events at its boundary before a step inside has run.
    /// </summary>
    public void Begin(LiveInstance instance, SubProcessStep step, int opened)
    {
        if (step.Timeout is { } timeout && _steps.TryAddWait(instance, step, isEvent: true))
        {
            instances.BeginWait(instance, instances.NewWait(step.Id, WaitKind.Delay, opened) with
            {
                Event = Wait.Main,
                DueUtc = lane.Now + timeout,
            });
        }

        if (!_steps.HasFailed && step.Boundary is not null
            && Prepare(instance, step, step.Boundary, opened) is { } waits)
        {
            Arm(instance, step, waits);
        }

        AbandonIfFailed(instance, opened);
    }

    /// <summary>Starts a step with events at its boundary, which are armed while it waits.</summary>
    public void Begin(LiveInstance instance, AwaitingStep step, int scope)
    {
        var group = instance.OpenScope(scope, step.Id, 0).Id;
        if (Prepare(instance, step, step.Boundary!, group) is { } waits)
        {
            var main = instance.Waits.Count;
            instances.Waits.Find(step)!.Begin(instance, step, scope);
            if (!_steps.HasFailed && instance.Waits.Count == main)
            {
                // The step continued immediately.
                instances.Tokens.EndGroup(instance, group);
            }
            else if (!_steps.HasFailed)
            {
                instance.Waits[main] = instance.Waits[main] with { Scope = group, Event = Wait.Main };
                Arm(instance, step, waits);
            }
        }

        AbandonIfFailed(instance, group);
    }

    /// <summary>
    /// Ends the waits of a failed step. Its token is before the step, and a retry starts all waits again.
    /// </summary>
    public void AbandonIfFailed(LiveInstance instance, int group)
    {
        if (_steps.HasFailed && instance.FindScope(group) is not null)
        {
            instances.Tokens.EndGroup(instance, group);
        }
    }

    /// <summary>
    /// Starts another token at the event. The token counts for the fork or sub-process that contains the step.
    /// </summary>
    public void Branch(LiveInstance instance, Wait wait, StepEvent came)
    {
        var scope = instance.FindScope(wait.Scope)!.Parent;
        if (instance.FindScope(scope) is { } around)
        {
            around.Remaining++;
        }

        InstanceHistory.Append(instance, lane.Now, "branched", wait.Step, came.Next);
        interpreter.Go(came.Next, scope, caught: null);
        if (wait.Kind == WaitKind.Signal)
        {
            // The event may occur again.
            _later.Enqueue(instances.NewWait(wait.Step, wait.Kind, wait.Scope) with
            {
                Event = wait.Event, Name = wait.Name, Key = wait.Key,
            });
        }
    }

    /// <summary>Arms one of the postponed events if its step still waits.</summary>
    public bool TryArmNext(LiveInstance instance)
    {
        if (!_later.TryDequeue(out var wait))
        {
            return false;
        }

        ArmLater(instance, wait);
        return true;
    }

    private void ArmLater(LiveInstance instance, Wait wait)
    {
        // A step whose end waits for the resumption of its instance has ended, too.
        if (instance.FindScope(wait.Scope) is not null
            && !instance.Waits.Exists(w => w.Scope == wait.Scope && w.Event != 0 && w.IsReady && Ends(instance, w)))
        {
            TryArm(instance, instance.Definition.Steps[wait.Step], wait);
            if (_steps.HasFailed)
            {
                _later.Enqueue(wait);
            }
        }
    }

    /// <summary>
    /// The instance has failed: keeps the events of sub-processes that could not be armed for a retry. Other steps arm
    /// their events again.
    /// </summary>
    public void KeepLater(LiveInstance instance)
    {
        instance.Waits.AddRange(_later.Where(wait => instance.FindScope(wait.Scope) is { Remaining: > 0 }));
        _later.Clear();
    }

    /// <returns>Null if the step has failed: a value is not usable.</returns>
    public Wait[]? Prepare(LiveInstance instance, StepDefinition step, IReadOnlyList<StepEvent> events, int group)
    {
        var waits = new Wait[events.Count];
        for (var i = 0; i < waits.Length; i++)
        {
            var number = (byte)(i + 1);
            if (events[i].Signal is { } signal)
            {
                if (!_steps.TryEvaluateKey(instance, step.Id, events[i].Correlation, out var key))
                {
                    return null;
                }

                waits[i] = instances.NewWait(step.Id, WaitKind.Signal, group) with
                {
                    Event = number, Name = signal, Key = key,
                };
            }
            else if (_steps.TryEvaluateDue(instance, step.Id, events[i].Duration, events[i].Until, out var due))
            {
                waits[i] = instances.NewWait(step.Id, WaitKind.Delay, group) with { Event = number, DueUtc = due };
            }
            else
            {
                return null;
            }
        }

        return waits;
    }

    public void Arm(LiveInstance instance, StepDefinition step, Wait[] waits)
    {
        foreach (var wait in waits)
        {
            InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, wait.Name);
            if (_later.Count > 0)
            {
                _later.Enqueue(wait);
            }
            else if (!TryArm(instance, step, wait))
            {
                return;
            }
        }
    }

    /// <summary>Arms an event, or consumes a signal that is already there.</summary>
    /// <returns>False if the step has ended or failed.</returns>
    private bool TryArm(LiveInstance instance, StepDefinition step, Wait wait)
    {
        if (!_steps.TryAddWait(instance, step, isEvent: true))
        {
            return false;
        }

        if (!instances.Waits[wait.Kind].TryEnd(instance, wait, out var payload))
        {
            return true;
        }

        if (!_steps.TrySpend(step.Id, Evaluation.WorkOfWriting(payload)))
        {
            return false;
        }

        var came = Of(step, wait);
        instance.Assign(came.Result, payload);
        if (!came.Interrupting)
        {
            Branch(instance, wait, came);
            return true;
        }

        var scope = instances.Tokens.EndGroup(instance, wait.Scope);
        InstanceHistory.Append(instance, lane.Now, HistoryWordOf(step), step.Id, came.Next);
        interpreter.Go(came.Next, scope, wait.Caught);
        return false;
    }
}
