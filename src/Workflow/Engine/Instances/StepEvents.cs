using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>
/// Events: those of which a token waits for the first, and those at the boundary of a step that waits. All waits of the token are a group:
/// they have a scope of their own, whose parent is the token's, and end together. Those at the boundary of a sub-process are in its scope.
/// </summary>
internal sealed class StepEvents(InstanceHandler instances, Interpreter interpreter, LaneContext lane)
{
    private readonly StepEvaluator _steps = instances.Steps;

    /// <summary>Events that are armed once the token of the last one has come to rest, and has read its payload.</summary>
    private readonly Queue<Wait> _later = new();

    public static StepEvent Of(StepDefinition step, Wait wait) =>
        (step is WaitFirstStep first ? first.Events : ((BoundedStep)step).Boundary!)[wait.Event - 1];

    /// <summary>The variable that takes what a wait brings; null for none.</summary>
    public static string? ResultOf(StepDefinition step, Wait wait) => wait.IsEvent ? Of(step, wait).Result : ((AwaitingStep)step).Result;

    /// <summary>Whether its step is over with a wait of a group: every one but an event that does not interrupt.</summary>
    public static bool Ends(LiveInstance instance, Wait wait) =>
        wait.Event != Wait.Element && (!wait.IsEvent || Of(instance.Definition.Steps[wait.Step], wait).Interrupting);

    /// <summary>What the history calls an event that ends its step.</summary>
    public static string WordOf(StepDefinition step) => step is WaitFirstStep ? "chosen" : "interrupted";

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

    /// <summary>Begins the timeout of a sub-process and the events at its boundary, before a step inside has run.</summary>
    /// <param name="opened">Its scope.</param>
    public void Begin(LiveInstance instance, SubProcessStep step, int opened)
    {
        if (step.Timeout is { } timeout && _steps.TryRest(instance, step, isEvent: true))
        {
            instances.BeginWait(instance, instances.NewWait(step.Id, WaitKind.Delay, opened) with
            {
                Event = Wait.Main,
                DueUtc = lane.Now + timeout,
            });
        }

        if (!_steps.HasFailed && step.Boundary is not null && Prepare(instance, step, step.Boundary, opened) is { } waits)
        {
            Arm(instance, step, waits);
        }

        AbandonIfFailed(instance, opened);
    }

    /// <summary>Begins a step with events at its boundary: they are there while it waits.</summary>
    public void Begin(LiveInstance instance, AwaitingStep step, int scope)
    {
        var group = instance.OpenScope(scope, step.Id, 0).Id;
        if (Prepare(instance, step, step.Boundary!, group) is { } waits)
        {
            var main = instance.Waits.Count;
            instances.Waits.Find(step)!.Begin(instance, step, scope);
            if (!_steps.HasFailed && instance.Waits.Count == main)
            {
                // It went on at once.
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

    /// <summary>The waits of a step that fails end: its token is before it, and a retry begins all of them again.</summary>
    public void AbandonIfFailed(LiveInstance instance, int group)
    {
        if (_steps.HasFailed && instance.FindScope(group) is not null)
        {
            instances.Tokens.EndGroup(instance, group);
        }
    }

    /// <summary>One more token begins at the event, and counts for the fork or sub-process that the step is in.</summary>
    public void Branch(LiveInstance instance, Wait wait, StepEvent came)
    {
        var scope = instance.FindScope(wait.Scope)!.Parent;
        if (instance.FindScope(scope) is { } around)
        {
            around.Remaining++;
        }

        InstanceHistory.Append(instance, lane.Now, "branched", wait.Step, came.Next);
        interpreter.Go(came.Next, scope);
        if (wait.Kind == WaitKind.Signal)
        {
            // It may come again.
            _later.Enqueue(
                instances.NewWait(wait.Step, wait.Kind, wait.Scope) with { Event = wait.Event, Name = wait.Name, Key = wait.Key });
        }
    }

    /// <summary>Arms one of the events left for later, if its step still waits.</summary>
    /// <returns>False when there is none.</returns>
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
        // One whose end waits for its instance, which was suspended, is over too.
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
    /// The instance has failed: a retry waits for the events of sub-processes that could not be armed. Other steps begin again with theirs.
    /// </summary>
    public void KeepLater(LiveInstance instance)
    {
        instance.Waits.AddRange(_later.Where(wait => instance.FindScope(wait.Scope) is { Remaining: > 0 }));
        _later.Clear();
    }

    /// <summary>Evaluates keys and times.</summary>
    /// <returns>Null when one is of no use: the step has failed.</returns>
    public Wait[]? Prepare(LiveInstance instance, StepDefinition step, IReadOnlyList<StepEvent> events, int group)
    {
        var waits = new Wait[events.Count];
        for (var i = 0; i < waits.Length; i++)
        {
            var number = (byte)(i + 1);
            if (events[i].Signal is { } signal)
            {
                if (!_steps.TryKey(instance, step.Id, events[i].Correlation, out var key))
                {
                    return null;
                }

                waits[i] = instances.NewWait(step.Id, WaitKind.Signal, group) with { Event = number, Name = signal, Key = key };
            }
            else if (_steps.TryDue(instance, step.Id, events[i].Duration, events[i].Until, out var due))
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

    /// <summary>Begins the wait for an event, or takes the signal that is there.</summary>
    /// <returns>False when the step is over, or has failed.</returns>
    private bool TryArm(LiveInstance instance, StepDefinition step, Wait wait)
    {
        if (!_steps.TryRest(instance, step, isEvent: true))
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
        InstanceHistory.Append(instance, lane.Now, WordOf(step), step.Id, came.Next);
        interpreter.Go(came.Next, scope);
        return false;
    }
}
