namespace Workflow.Engine.Instances;

/// <summary>
/// Moves the tokens of an instance until each waits or has finished. An error in a step goes to the sub-process around it that takes
/// errors, or fails the instance alone.
/// </summary>
internal sealed class Interpreter
{
    private readonly InstanceHandler _instances;
    private readonly LaneContext _lane;
    private readonly StepEvaluator _steps;
    private readonly ImmediateSteps _immediate;
    private readonly Stack<(string Step, int Scope)> _tokens = new();

    /// <summary>What the first token, or the one that fails, keeps for another try of its step.</summary>
    private Value _kept;

    public Interpreter(InstanceHandler instances, LaneContext lane)
    {
        _instances = instances;
        _lane = lane;
        _steps = instances.Steps;
        Events = new(instances, this, lane);
        _immediate = new(instances, this, lane);
    }

    public StepEvents Events { get; }

    public void Run(LiveInstance instance, string step, int scope, Value kept = default)
    {
        _kept = kept;
        _tokens.Clear();
        Events.Clear();
        _tokens.Push((step, scope));
        Run(instance);
    }

    /// <summary>An event came that does not end its step: one more token.</summary>
    public void RunBranch(LiveInstance instance, Wait wait, StepEvent came)
    {
        _tokens.Clear();
        Events.Clear();
        Events.Branch(instance, wait, came);
        Run(instance);
    }

    /// <summary>A step whose wait was over has failed, and a sub-process takes the error.</summary>
    public void RunCaught(LiveInstance instance, ForkScope taking, StepFailure failure)
    {
        _tokens.Clear();
        Events.Clear();
        Catch(instance, taking, failure);
        Run(instance);
    }

    private void Run(LiveInstance instance)
    {
        while (!instance.IsFinished)
        {
            if (!_tokens.TryPop(out var token))
            {
                if (!Events.TryArmNext(instance))
                {
                    break;
                }
            }
            else if (_steps.TryEnter(instance, token.Step))
            {
                Execute(instance, token.Step, token.Scope);
            }

            if (_steps.HasFailed && !TryCatch(instance, token))
            {
                return;
            }
        }

        CompleteOrRest(instance);
    }

    /// <summary>The step of a token has failed: a sub-process around it takes the error, or the instance fails.</summary>
    /// <param name="token">Default where an event could not be armed, of which there is no token.</param>
    private bool TryCatch(LiveInstance instance, (string? Step, int Scope) token)
    {
        var failure = _steps.TakeFailure()!;
        if (!failure.IsLimit && instance.FindSubProcess(token.Scope, catching: true) is { } taking)
        {
            Catch(instance, taking, failure);
            return true;
        }

        _instances.Fail(instance, failure.Error);
        Events.KeepLater(instance);
        if (token.Step is not null)
        {
            KeepTokens(instance, (token.Step, token.Scope));
        }

        return false;
    }

    /// <summary>All that is inside the sub-process ends, and its token goes on with the error.</summary>
    private void Catch(LiveInstance instance, ForkScope taking, StepFailure failure)
    {
        _kept = Value.Null;
        var (error, step) = (failure.Error, (SubProcessStep)instance.Definition.Steps[taking.Join]);
        InstanceHistory.Append(instance, _lane.Now, failure.What, error.Step, error.Message);
        var scope = _instances.Tokens.EndGroup(instance, taking.Id);
        instance.Assign(step.ErrorResult, StepValues.OfError(error));
        InstanceHistory.Append(instance, _lane.Now, "caught", step.Id, step.OnError);
        Go(step.OnError!, scope);
    }

    /// <summary>The token whose step has failed, and those whose turn did not come: a retry goes on with them.</summary>
    private void KeepTokens(LiveInstance instance, (string Step, int Scope) failed)
    {
        instance.Waits.Insert(0, Wait.Before(failed.Step, failed.Scope) with { Input = TakeKept() });
        while (_tokens.TryPop(out var token))
        {
            instance.Waits.Add(Wait.Before(token.Step, token.Scope));
        }
    }

    private void Execute(LiveInstance instance, string id, int scope)
    {
        var step = instance.Definition.Steps[id];
        switch (step)
        {
            case AwaitingStep { Boundary: not null } awaiting and not CallEachStep:
                Events.Begin(instance, awaiting, scope);
                break;
            case WaitFirstStep first:
                Events.Begin(instance, first, scope);
                break;
            case SubProcessStep process:
                Enter(instance, process, scope);
                break;
            default:
                if (_instances.Waits.Find(step) is { } waiting)
                {
                    waiting.Begin(instance, step, scope);
                }
                else if (!_immediate.TryExecute(instance, step, scope))
                {
                    _steps.Exceed(new($"Step '{id}' is of type '{step.Type}', which this engine does not execute.", id));
                }

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
            _instances.Complete(instance);
            return;
        }

        instance.State = instance.StateAtRest;
    }

    /// <summary>A token goes to a step, once the present one has returned.</summary>
    public void Go(string next, int scope) => _tokens.Push((next, scope));

    /// <summary>A step has failed: its token goes on by the error, or the step fails.</summary>
    public void GoByError(LiveInstance instance, CallingStep step, string what, InstanceError error, int scope)
    {
        if (step.OnError is not null)
        {
            InstanceHistory.Append(instance, _lane.Now, what, step.Id, error.Message);
            instance.Assign(step.ErrorResult, StepValues.OfError(error));
            Go(step.OnError, scope);
        }
        else
        {
            _steps.Fail(error, what);
        }
    }

    /// <summary>The instance ends here, whatever other tokens there are.</summary>
    public void Terminate(LiveInstance instance)
    {
        _tokens.Clear();
        _instances.Complete(instance);
    }

    /// <summary>Tokens in these scopes go no further.</summary>
    public void Drop(HashSet<int> scopes)
    {
        (string Step, int Scope)[] kept = [.. _tokens.Where(token => !scopes.Contains(token.Scope))];
        _tokens.Clear();
        for (var i = kept.Length - 1; i >= 0; i--)
        {
            _tokens.Push(kept[i]);
        }
    }

    public void Keep(Value kept) => _kept = kept;

    public Value TakeKept()
    {
        var kept = _kept;
        _kept = Value.Null;
        return kept;
    }

    private void Enter(LiveInstance instance, SubProcessStep step, int scope)
    {
        InstanceHistory.AppendStep(instance, _lane.Now, "entered", step.Id, step.Start);
        var opened = instance.OpenScope(scope, step.Id, 1).Id;
        Go(step.Start, opened);
        Events.Begin(instance, step, opened);
    }

    /// <summary>A sub-process is over, with whatever is still inside.</summary>
    public void Leave(LiveInstance instance, ForkScope scope, SubProcessStep step)
    {
        var around = _instances.Tokens.EndGroup(instance, scope.Id);
        InstanceHistory.AppendStep(instance, _lane.Now, "left", step.Id, step.Next);
        Go(step.Next, around);
    }

    /// <summary>
    /// One token less. Of a fork the last one continues after the join if any branch arrived there, else the fork ends there; of a
    /// sub-process it goes on with the next step.
    /// </summary>
    public void Close(LiveInstance instance, ForkScope scope)
    {
        if (--scope.Remaining > 0)
        {
            return;
        }

        if (instance.Definition.Steps[scope.Join] is not JoinStep join)
        {
            Leave(instance, scope, (SubProcessStep)instance.Definition.Steps[scope.Join]);
            return;
        }

        instance.Scopes.Remove(scope);
        if (scope.Arrived > 0)
        {
            Go(join.Next, scope.Parent);
        }
        else if (instance.FindScope(scope.Parent) is { } parent)
        {
            Close(instance, parent);
        }
    }
}
