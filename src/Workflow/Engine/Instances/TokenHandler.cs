namespace Workflow.Engine.Instances;

/// <summary>Moves the tokens of instances when their waits are over, and ends the waits that end with them.</summary>
internal sealed class TokenHandler(InstanceHandler instances, LaneContext lane)
{
    /// <summary>A token enters a step, and goes on until it waits or has ended.</summary>
    /// <param name="kept">What a failed step had kept for its retry.</param>
    public void Run(LiveInstance instance, string step, int scope, Value kept = default)
    {
        lane.Batch.Touch(instance);
        instances.Interpreter.Run(instance, step, scope, kept);
        Moved(instance);
    }

    /// <summary>A wait is over, and leaves its instance. <see cref="GoOn(LiveInstance, Wait, Value, InstanceError?)"/> follows.</summary>
    public void Take(LiveInstance instance, Wait wait)
    {
        lane.Batch.Touch(instance);
        instance.Waits.Remove(wait);
    }

    /// <summary>A wait is over, and removed: its token moves on, or once its instance is resumed.</summary>
    /// <param name="value">What it brought; null where it has failed.</param>
    /// <param name="error">Why it has failed; null where it has not.</param>
    public void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error = null)
    {
        if (instance.State == InstanceState.Suspended)
        {
            KeepEnded(instance, wait, value, error);
            instance.UpdatedUtc = lane.Now;
        }
        else if (wait.IsEvent)
        {
            ResumeByEvent(instance, wait, value);
        }
        else if (wait.Event == Wait.Element)
        {
            instances.Waits.Elements.EndElement(instance, wait, value, error);
        }
        else
        {
            instances.Waits[wait.Kind].GoOn(instance, wait, value, error);
        }
    }

    /// <summary>A step has what it waited for: its variable takes the value, and its token goes to the next step.</summary>
    public void GoOn(LiveInstance instance, Wait wait, AwaitingStep step, Value value, string what, string? detail)
    {
        instance.Assign(step.Result, value);
        Resume(instance, wait, what, step.Next, detail);
    }

    /// <summary>A call has failed: its token goes on by the error, or the instance fails.</summary>
    public void TakeErrorWay(LiveInstance instance, Wait wait, CallingStep step, string what, InstanceError error)
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
            instances.Fail(instance, error);
            instance.Waits.Insert(0, Wait.Before(wait.Step, scope, wait.Attempts) with { Input = KeptOf(wait) });
        }
    }

    /// <summary>The wait of a token is over, and those that end with it: it goes on.</summary>
    public void Resume(LiveInstance instance, Wait wait, string what, string next, string? detail = null)
    {
        var scope = ScopeAfter(instance, wait);
        InstanceHistory.Append(instance, lane.Now, what, wait.Step, detail);
        Run(instance, next, scope);
    }

    /// <summary>An event of a step came; its wait is removed.</summary>
    public void ResumeByEvent(LiveInstance instance, Wait wait, Value payload)
    {
        var came = StepEvents.Of(instance.Definition.Steps[wait.Step], wait);
        instance.Assign(came.Result, payload);
        if (came.Interrupting)
        {
            Resume(instance, wait, StepEvents.WordOf(instance.Definition.Steps[wait.Step]), came.Next, came.Next);
            return;
        }

        instances.Interpreter.RunBranch(instance, wait, came);
        Moved(instance);
    }

    /// <summary>A step whose wait was over has failed: a sub-process around it takes the error, if there is one that does.</summary>
    /// <param name="scope">That of the step's token.</param>
    public bool TryCatch(LiveInstance instance, int scope, StepFailure failure)
    {
        if (failure.IsLimit || instance.FindSubProcess(scope, catching: true) is not { } taking)
        {
            return false;
        }

        lane.Batch.Touch(instance);
        instances.Interpreter.RunCaught(instance, taking, failure);
        Moved(instance);
        return true;
    }

    /// <summary>The token of a wait that is over has to wait for its turn; what ends with it ends now.</summary>
    public void KeepEnded(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        if (wait.Event != 0 && StepEvents.Ends(instance, wait))
        {
            EndOthers(instance, wait.Scope);
        }

        instance.Waits.Add(new EndedWait(wait, value, error));
    }

    /// <summary>Moves every token on whose wait is over, those that have the same turn in the order in which they ended.</summary>
    public void RunReady(LiveInstance instance)
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

    /// <summary>
    /// Which of several waits that are over goes on first: the events of a sub-process, an outer one's before an inner one's, and then the
    /// tokens. An event so comes to the sub-process that was there when it came.
    /// </summary>
    public static int TurnOf(LiveInstance instance, Wait wait) =>
        wait.IsEvent && instance.Definition.Steps[wait.Step] is SubProcessStep ? wait.Scope : int.MaxValue;

    /// <summary>The instance stays where it is; the batch, which holds it already, writes it.</summary>
    public void Rest(LiveInstance instance)
    {
        instance.State = instance.StateAtRest;
        instance.UpdatedUtc = lane.Now;
    }

    /// <summary>Ends the waits of one token, or a sub-process with all that is inside.</summary>
    /// <returns>The scope in which the token goes on.</returns>
    public int EndGroup(LiveInstance instance, int scope)
    {
        EndOthers(instance, scope);
        End(instance, wait => wait.Scope == scope);
        var group = instance.FindScope(scope)!;
        instance.Scopes.Remove(group);
        return group.Parent;
    }

    /// <summary>Undoes what a wait has made beside itself: its waiter, its task or its child.</summary>
    public void EndWait(LiveInstance instance, Wait wait, TaskState state)
    {
        if (!wait.IsReady)
        {
            instances.Waits[wait.Kind].End(instance, wait, state);
        }
    }

    /// <summary>What came while the instance was suspended is not gone with its token: the variables show it.</summary>
    public static void KeepValue(LiveInstance instance, Wait wait)
    {
        if (wait is EndedWait { Event: not Wait.Element, Error: null } ended)
        {
            instance.Assign(StepEvents.ResultOf(instance.Definition.Steps[ended.Step], ended), ended.Value);
        }
    }

    /// <summary>
    /// An instance has failed, and its waits have ended. Their tokens stay: what has gone with its wait (a task, a sub-workflow, an
    /// activity that runs) is begun again from its step; the others are waited for again.
    /// </summary>
    public void KeepAll(LiveInstance instance)
    {
        instances.Waits.Elements.KeepEnded(instance);
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

    private void Moved(LiveInstance instance)
    {
        instance.UpdatedUtc = lane.Now;
        instances.Relatives.Run();
    }

    /// <summary>The scope in which the token of a wait goes on, whose other waits end here.</summary>
    private int ScopeAfter(LiveInstance instance, Wait wait) => wait.Event == 0 ? wait.Scope : EndGroup(instance, wait.Scope);

    /// <summary>Ends what is still waited for in a group, or inside a sub-process and at its boundary.</summary>
    private void EndOthers(LiveInstance instance, int scope)
    {
        if (instance.FindScope(scope) is { Remaining: > 0 })
        {
            EndInside(instance, scope);
        }

        End(instance, wait => wait.Scope == scope && !wait.IsReady);
    }

    /// <summary>Ends every token inside a sub-process, with all that it waits for; events at its boundary are left.</summary>
    private void EndInside(LiveInstance instance, int scope)
    {
        var within = instance.ScopesWithin(scope);
        instances.Interpreter.Drop(within);
        End(instance, wait => within.Contains(wait.Scope) && (wait.Scope != scope || wait.Event == 0));
        instance.Scopes.RemoveAll(s => s.Id != scope && within.Contains(s.Id));
    }

    private void End(LiveInstance instance, Predicate<Wait> which)
    {
        var ended = instance.Waits.FindAll(which);
        instance.Waits.RemoveAll(which);
        foreach (var wait in ended)
        {
            EndWait(instance, wait, TaskState.Cancelled);
            KeepValue(instance, wait);
        }
    }
}
