namespace Workflow.Engine.Instances;

/// <summary>
/// Moves the tokens of instances when their waits have ended, and ends the waits that belong together.
/// </summary>
internal sealed class TokenHandler(InstanceHandler instances, LaneState lane)
{
    /// <summary>Moves a token into a step and onwards until it waits or has ended.</summary>
    /// <param name="kept">The value that a failed step kept for its retry.</param>
    /// <param name="caught">The error that the token handles; null if there is none.</param>
    public void Run(LiveInstance instance, string step, int scope, CaughtError? caught = null, Value kept = default)
    {
        lane.Batch.Touch(instance);
        instances.Interpreter.Run(instance, step, scope, caught, kept);
        EndMove(instance);
    }

    /// <summary>
    /// Removes a wait that has ended from its instance.
    /// <see cref="Continue(LiveInstance, Wait, Value, InstanceError?)"/> follows.
    /// </summary>
    public void Take(LiveInstance instance, Wait wait)
    {
        lane.Batch.Touch(instance);
        instance.Waits.Remove(wait);
    }

    /// <summary>
    /// Continues the token of an ended wait, which is already removed, now or when its instance is resumed.
    /// </summary>
    /// <param name="value">The value that ended the wait; null if it failed.</param>
    /// <param name="error">Why the wait failed; null if it did not fail.</param>
    public void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error = null)
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
            lane.ElementCalls.EndElement(instance, wait, value, error);
        }
        else
        {
            instances.Waits[wait.Kind].Continue(instance, wait, value, error);
        }
    }

    /// <summary>Assigns the value to the step's variable and moves the token to the next step.</summary>
    public void Continue(LiveInstance instance, Wait wait, AwaitingStep step, Value value, string what, string? detail)
    {
        instance.Assign(step.Result, value);
        Resume(instance, wait, what, step.Next, detail);
    }

    /// <summary>A call has failed: its token takes the error path, or the instance fails.</summary>
    public void ContinueWithError(LiveInstance instance, Wait wait, CallingStep step, string what, InstanceError error)
    {
        var failed = Before(wait, ScopeAfter(instance, wait));
        if (step.OnError is not null)
        {
            instance.Assign(step.ErrorResult, StepValues.ErrorValue(error));
            InstanceHistory.Append(instance, lane.Now, what, wait.Step, error.Message);
            Run(instance, step.OnError, failed.Scope, CaughtError.Of(failed));
        }
        else if (!TryCatch(instance, failed.Scope, new(error, what), failed))
        {
            instances.Fail(instance, error);
            instance.Waits.Insert(0, failed);
        }
    }

    /// <summary>Ends the other waits of the token and moves it to a step.</summary>
    public void Resume(LiveInstance instance, Wait wait, string what, string next, string? detail = null)
    {
        var scope = ScopeAfter(instance, wait);
        InstanceHistory.Append(instance, lane.Now, what, wait.Step, detail);
        Run(instance, next, scope, wait.Caught);
    }

    /// <summary>An event of a step has occurred; its wait is already removed.</summary>
    public void ResumeByEvent(LiveInstance instance, Wait wait, Value payload)
    {
        var came = StepEvents.Of(instance.Definition.Steps[wait.Step], wait);
        instance.Assign(came.Result, payload);
        if (came.Interrupting)
        {
            Resume(
                instance, wait, StepEvents.HistoryWordOf(instance.Definition.Steps[wait.Step]), came.Next, came.Next);
            return;
        }

        instances.Interpreter.RunBranch(instance, wait, came);
        EndMove(instance);
    }

    /// <summary>
    /// Passes the error of a step that failed after its wait to the sub-process that handles it, if there is one.
    /// </summary>
    /// <param name="failed">The token before its step; null if its waits are still there.</param>
    public bool TryCatch(LiveInstance instance, int scope, StepFailure failure, Wait? failed)
    {
        if (failure.IsLimit || instance.FindSubProcess(scope, catching: true) is not { } taking)
        {
            return false;
        }

        lane.Batch.Touch(instance);
        instances.Interpreter.RunCaught(instance, taking, failure, failed);
        EndMove(instance);
        return true;
    }

    /// <summary>Keeps an ended wait until the turn of its token. What ends with the wait ends now.</summary>
    public void KeepEnded(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        if (wait.Event != 0 && StepEvents.Ends(instance, wait))
        {
            EndOtherWaits(instance, wait.Scope);
        }

        instance.Waits.Add(new EndedWait(wait, value, error));
    }

    /// <summary>
    /// Moves every token whose wait has ended. Tokens with the same turn move in the order in which their waits ended.
    /// </summary>
    public void RunReady(LiveInstance instance)
    {
        while (!instance.IsFinished
            && instance.Waits.Where(w => w.IsReady).MinBy(w => TurnOf(instance, w)) is { } ready)
        {
            instance.Waits.Remove(ready);
            if (ready is EndedWait ended)
            {
                Continue(instance, ended, ended.Value, ended.Error);
            }
            else
            {
                Run(instance, ready.Step, ScopeAfter(instance, ready), ready.Caught, ready.Input);
            }
        }

        if (!instance.IsFinished)
        {
            UpdateStateAtRest(instance);
        }
    }

    /// <summary>
    /// The order in which ended waits continue: first the events of sub-processes, those of an outer one before those
    /// of an inner one, then the tokens. An event therefore finds the sub-process that existed when it occurred.
    /// </summary>
    public static int TurnOf(LiveInstance instance, Wait wait) =>
        wait.IsEvent && instance.Definition.Steps[wait.Step] is SubProcessStep ? wait.Scope : int.MaxValue;

    /// <summary>Sets the state of an instance whose tokens do not move. The batch already holds the instance.</summary>
    public void UpdateStateAtRest(LiveInstance instance)
    {
        instance.State = instance.StateAtRest;
        instance.UpdatedUtc = lane.Now;
    }

    /// <summary>Ends the waits of one token, or a sub-process with everything inside.</summary>
    /// <returns>The scope in which the token continues.</returns>
    public int EndGroup(LiveInstance instance, int scope)
    {
        EndOtherWaits(instance, scope);
        End(instance, wait => wait.Scope == scope);
        var group = instance.FindScope(scope)!;
        instance.Scopes.Remove(group);
        return group.Parent;
    }

    /// <summary>Removes what a wait created beside itself: its waiter, task or child.</summary>
    public void EndWait(LiveInstance instance, Wait wait, TaskState state)
    {
        if (!wait.IsReady)
        {
            instances.Waits[wait.Kind].End(instance, wait, state);
        }
    }

    /// <summary>
    /// Assigns a value that arrived during a suspension to its variable although its token has ended.
    /// </summary>
    public static void AssignEndedValue(LiveInstance instance, Wait wait)
    {
        if (wait is EndedWait { Event: not Wait.Element, Error: null } ended)
        {
            instance.Assign(StepEvents.ResultOf(instance.Definition.Steps[ended.Step], ended), ended.Value);
        }
    }

    /// <summary>
    /// Keeps the tokens of waits that ended with an error for a retry. Tokens whose wait is gone (a task, a
    /// sub-workflow, a running activity) start again at their step; the others wait again.
    /// </summary>
    public void KeepForRetry(LiveInstance instance, List<Wait> waits)
    {
        lane.ElementCalls.KeepEnded(waits);
        for (var i = 0; i < waits.Count; i++)
        {
            var wait = waits[i];
            if (!wait.IsReady && (wait.IsActivityRunning || wait.Kind is WaitKind.Task or WaitKind.Call))
            {
                waits[i] = Before(wait, wait.Scope) with { Event = wait.Event };
            }
        }

        // The waits of one token start again together, except those at the boundary of a sub-process, whose tokens
        // continue. A wait that ended before continues before the retry.
        var groups = waits.Where(w => w.Event != 0 && IsOpen(w)).Select(w => w.Scope).Distinct()
            .Where(scope => instance.FindScope(scope) is not { Remaining: > 0 }).ToArray();
        foreach (var group in groups)
        {
            var open = waits.FindAll(w => w.Scope == group && IsOpen(w));
            var main = open.Find(w => w.Event == Wait.Main) ?? open[0];
            open.ForEach(w => waits.Remove(w));
            waits.Add(Before(main, group) with { Event = Wait.Main });
        }

        static bool IsOpen(Wait wait) => !wait.IsReady || wait.Kind == WaitKind.Step;
    }

    /// <summary>The token of a wait before its step. Elements that have ended are not called again.</summary>
    private static Wait Before(Wait wait, int scope) => Wait.Before(wait.Step, scope, wait.Caught, wait.Attempts) with
    {
        Input = wait.Kind == WaitKind.CallEach ? wait.Input : Value.Null,
    };

    private void EndMove(LiveInstance instance)
    {
        instance.UpdatedUtc = lane.Now;
        instances.CallQueue.Run();
    }

    /// <summary>Ends the other waits of a token and returns the scope in which it continues.</summary>
    private int ScopeAfter(LiveInstance instance, Wait wait) =>
        wait.Event == 0 ? wait.Scope : EndGroup(instance, wait.Scope);

    /// <summary>Ends the open waits of a group, or of a sub-process and its boundary.</summary>
    private void EndOtherWaits(LiveInstance instance, int scope)
    {
        if (instance.FindScope(scope) is { Remaining: > 0 })
        {
            EndInside(instance, scope);
        }

        End(instance, wait => wait.Scope == scope && !wait.IsReady);
    }

    /// <summary>Ends every token inside a sub-process with its waits. Events at its boundary stay.</summary>
    private void EndInside(LiveInstance instance, int scope)
    {
        var within = instance.ScopesWithin(scope);
        instances.Interpreter.Drop(within);
        End(instance, wait => within.Contains(wait.Scope) && (wait.Scope != scope || wait.Event == 0));
        instance.Scopes.RemoveAll(s => s.Id != scope && within.Contains(s.Id));
    }

    private void End(LiveInstance instance, Predicate<Wait> which)
    {
        instances.RequireChildren(instance);
        var ended = instance.Waits.FindAll(which);
        instance.Waits.RemoveAll(which);
        foreach (var wait in ended)
        {
            EndWait(instance, wait, TaskState.Cancelled);
            AssignEndedValue(instance, wait);
        }
    }
}
