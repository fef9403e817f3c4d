using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Calls;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Lanes;

/// <content>
/// Suspend, resume and retry. A suspended instance is live, and its waits end as ever, but what they bring stays in them. A failed one is
/// in no memory; its row keeps every token, and a retry brings it back.
/// </content>
internal sealed partial class LaneExecutor
{
    /// <returns>Null when the instance is not live here.</returns>
    public InstanceChange? Suspend(Guid id)
    {
        if (State.Instances.GetValueOrDefault(id) is not { } instance)
        {
            return null;
        }

        if (instance.State == InstanceState.Suspended)
        {
            return new(id, InstanceState.Suspended, Duplicate: true);
        }

        Batch.Touch(instance);
        instance.State = InstanceState.Suspended;
        instance.UpdatedUtc = _now;

        // What was called runs on; what waits for its turn is called once the instance is resumed.
        foreach (var wait in instance.Waits.Where(w => w.IsActivityRunning))
        {
            Forget(wait.Id);
        }

        InstanceHistory.Append(instance, _now, "suspended");
        Batch.Tally.Suspended++;
        RaiseOf(instance, (eventId, stamps) => new InstanceSuspended { Id = eventId, Timestamps = stamps });
        return new(id, InstanceState.Suspended, Duplicate: false);
    }

    /// <returns>Null when the instance is not live here.</returns>
    public InstanceChange? Resume(Guid id)
    {
        if (State.Instances.GetValueOrDefault(id) is not { } instance)
        {
            return null;
        }

        if (instance.State != InstanceState.Suspended)
        {
            return new(id, instance.State, Duplicate: true);
        }

        Batch.Touch(instance);
        instance.State = InstanceState.Running;
        InstanceHistory.Append(instance, _now, "resumed");
        Batch.Tally.Resumed++;
        RaiseOf(instance, (eventId, stamps) => new InstanceResumed { Id = eventId, Timestamps = stamps });
        foreach (var wait in instance.Waits.ToArray())
        {
            if (!wait.IsReady)
            {
                Wake(instance, wait);
            }
        }

        RunReady(instance);
        return new(id, instance.State, Duplicate: false);
    }

    /// <summary>A failed instance goes on where it stopped.</summary>
    /// <param name="row">The instance as committed; null when there is none.</param>
    /// <param name="variables">Set before it goes on: a context, or null.</param>
    /// <returns>Null when it has not failed, as far as this lane knows, or cannot be retried.</returns>
    public InstanceChange? Retry(InstanceRow? row, Value variables)
    {
        if (row is not { State: InstanceState.Failed })
        {
            return null;
        }

        if (State.WasRetried(row))
        {
            // Another request was first; the row was read before its commit.
            return new(row.Id, State.Instances.GetValueOrDefault(row.Id)?.State ?? row.State, Duplicate: true);
        }

        if (State.Instances.ContainsKey(row.Id) || _host.FindDefinition(row.Definition, row.DefinitionVersion) is not { } definition)
        {
            return null;
        }

        var instance = InstanceCodec.ToInstance(row, definition);
        if (!CanRetry(instance.ParentId, instance.Waits))
        {
            return null;
        }

        State.RememberRetry(row);
        Batch.OnRollBack(() => State.ForgetRetry(row));
        State.Instances.Add(instance.Id, instance);
        Batch.Touch(instance);
        Batch.Tally.Retry(_command.AcceptedTicks);
        instance.IsRetried = true;
        instance.State = InstanceState.Running;
        var names = Assign(instance, variables);
        InstanceHistory.Append(instance, _now, "retried", detail: names);
        RaiseOf(instance, (id, stamps) => new InstanceRetried { Id = id, Step = instance.Error?.Step, Timestamps = stamps });
        instance.Error = null;

        // Every token stays among the waits until its turn comes: an instance without any would be complete.
        foreach (var wait in instance.Waits.Where(w => !w.IsReady).OrderBy(w => TurnOf(instance, w)).ToArray())
        {
            // What is inside of a sub-process has ended with it.
            if (instance.Waits.Contains(wait))
            {
                BeginAgain(instance, wait);
            }
        }

        RunReady(instance);
        return new(instance.Id, instance.State, Duplicate: false);
    }

    /// <summary>Whether a failed instance may be retried: its caller has not been given its error, and it knows where it stopped.</summary>
    public static bool CanRetry(Guid? parent, IReadOnlyCollection<Wait> kept) => parent is null && kept.Count > 0;

    /// <summary>A wait is over, and removed: its token moves on, or once its instance is resumed.</summary>
    /// <param name="value">What it brought; null where it has failed.</param>
    /// <param name="error">Why it has failed; null where it has not.</param>
    private void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error = null)
    {
        if (instance.State == InstanceState.Suspended)
        {
            KeepEnded(instance, wait, value, error);
            instance.UpdatedUtc = _now;
            return;
        }

        if (wait.IsEvent)
        {
            ResumeByEvent(instance, wait, value);
            return;
        }

        if (wait.Event == Wait.Element)
        {
            EndElement(instance, wait, value, error);
            return;
        }

        switch (instance.Definition.Steps[wait.Step])
        {
            case WaitSignalStep step:
                GoOn(instance, wait, step, value, "signalled", wait.Name);
                break;
            case TaskStep step:
                GoOn(instance, wait, step, value, "taskCompleted", wait.Name);
                break;
            case InvokeStep step when error is not null:
                TakeErrorWay(instance, wait, step, "activityFailed", error);
                break;
            case InvokeStep step:
                GoOn(instance, wait, step, value, "resumed", detail: null);
                break;
            case CallStep step when error is not null:
                TakeErrorWay(instance, wait, step, "callFailed", error);
                break;
            case CallStep step:
                GoOn(instance, wait, step, value, "returned", wait.Id.ToString());
                break;
            case var other:
                throw new InvalidOperationException($"A step of type '{other.Type}' brings nothing.");
        }
    }

    /// <summary>The token of a wait that is over has to wait for its turn; what ends with it ends now.</summary>
    private void KeepEnded(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        if (wait.Event != 0 && StepEvents.Ends(instance, wait))
        {
            EndOthers(instance, wait.Scope);
        }

        instance.Waits.Add(new EndedWait(wait, value, error));
    }

    private void GoOn(LiveInstance instance, Wait wait, AwaitingStep step, Value value, string what, string? detail)
    {
        instance.Assign(step.Result, value);
        Resume(instance, wait, what, step.Next, detail);
    }

    private void TakeErrorWay(LiveInstance instance, Wait wait, CallingStep step, string what, InstanceError error)
    {
        if (step.OnError is not null)
        {
            instance.Assign(step.ErrorResult, StepValues.OfError(error));
            Resume(instance, wait, what, step.OnError, error.Message);
            return;
        }

        var scope = ScopeAfter(instance, wait);
        if (!TryCatch(instance, scope, new(error, what)))
        {
            Fail(instance, error);
            instance.Waits.Insert(0, Wait.Before(wait.Step, scope, wait.Attempts) with { Input = KeptOf(wait) });
        }
    }

    /// <summary>A step whose wait was over has failed: a sub-process around it takes the error, if there is one that does.</summary>
    /// <param name="scope">That of the step's token.</param>
    private bool TryCatch(LiveInstance instance, int scope, StepFailure failure)
    {
        if (failure.IsLimit || instance.FindSubProcess(scope, catching: true) is not { } taking)
        {
            return false;
        }

        Batch.Touch(instance);
        _interpreter.RunCaught(instance, taking, failure);
        instance.UpdatedUtc = _now;
        RunRelatives();
        return true;
    }

    /// <summary>
    /// An instance has failed, and its waits have ended. Their tokens stay: what has gone with its wait (a task, a sub-workflow, an
    /// activity that runs) is begun again from its step; the others are waited for again.
    /// </summary>
    private static void KeepTokens(LiveInstance instance)
    {
        ElementCalls.KeepEnded(instance);
        for (var i = 0; i < instance.Waits.Count; i++)
        {
            var wait = instance.Waits[i];
            if (!wait.IsReady && (wait.IsActivityRunning || wait.Kind is WaitKind.Task or WaitKind.Call))
            {
                instance.Waits[i] = Wait.Before(wait.Step, wait.Scope, wait.Attempts) with { Event = wait.Event };
            }
        }

        // The waits of one token are begun again together, other than those at the boundary of a sub-process, inside which others go on.
        // What has ended before goes on before that.
        foreach (var group in instance.Waits.Where(w => w.Event != 0 && (!w.IsReady || w.Kind == WaitKind.Step)).Select(w => w.Scope)
            .Distinct().Where(scope => instance.FindScope(scope) is not { Remaining: > 0 }).ToArray())
        {
            var open = instance.Waits.FindAll(w => w.Scope == group && (!w.IsReady || w.Kind == WaitKind.Step));
            var main = open.Find(w => w.Event == Wait.Main) ?? open[0];
            open.ForEach(w => instance.Waits.Remove(w));
            instance.Waits.Add(Wait.Before(main.Step, group, main.Attempts) with { Event = Wait.Main, Input = KeptOf(main) });
        }
    }

    /// <summary>Elements that have ended are not called again.</summary>
    private static Value KeptOf(Wait wait) => wait.Kind == WaitKind.CallEach ? wait.Input : Value.Null;

    /// <summary>
    /// A wait of an instance that is resumed: what was not called is, and its timers are set again, since those that fell due are gone. Not
    /// only what is due now: the clock may have gone back.
    /// </summary>
    private void Wake(LiveInstance instance, Wait wait)
    {
        State.AddTimers(instance, wait);
        if (wait.IsActivityRunning && !State.DeadLetters.Contains(DeadLetterKind.Activity, wait.Id))
        {
            if (FindActivity(wait.Name!) is { } activity)
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
    }

    /// <summary>A wait of an instance that is retried begins again, as another one: what is on its way to the first is too late.</summary>
    private void BeginAgain(LiveInstance instance, Wait wait)
    {
        instance.Waits.Remove(wait);
        var again = wait with { Id = _runtime.NewId(_now) };
        if (wait.Kind != WaitKind.Signal)
        {
            BeginTimer(instance, again);
        }
        else if (TryBeginSignalWait(instance, again, out var payload))
        {
            KeepEnded(instance, again, payload, error: null);
        }
    }

    /// <summary>
    /// Which of several waits that are over goes on first: the events of a sub-process, an outer one's before an inner one's, and then the
    /// tokens. An event so comes to the sub-process that was there when it came.
    /// </summary>
    private static int TurnOf(LiveInstance instance, Wait wait) =>
        wait.IsEvent && instance.Definition.Steps[wait.Step] is SubProcessStep ? wait.Scope : int.MaxValue;

    /// <summary>Moves every token on whose wait is over, those that have the same turn in the order in which they ended.</summary>
    private void RunReady(LiveInstance instance)
    {
        while (!instance.IsFinished && instance.Waits.Where(w => w.IsReady).MinBy(w => TurnOf(instance, w)) is { } ready)
        {
            instance.Waits.Remove(ready);
            if (ready is EndedWait ended)
            {
                GoOn(instance, ended, ended.Value, ended.Error);
            }
            else
            {
                Run(instance, ready.Step, ScopeAfter(instance, ready), ready.Input);
            }
        }

        if (!instance.IsFinished)
        {
            Rest(instance);
        }
    }

    /// <returns>The names of the variables, for the history; null where there are none.</returns>
    private static string? Assign(LiveInstance instance, Value variables)
    {
        if (variables.IsNull)
        {
            return null;
        }

        foreach (var (name, value) in variables.AsContext())
        {
            instance.Assign(name, value);
        }

        return string.Join(", ", variables.AsContext().Keys.Order(StringComparer.Ordinal));
    }
}
