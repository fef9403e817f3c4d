namespace Workflow.Engine.Instances;

/// <summary>
/// Moves the tokens of an instance until each waits or has ended. An error in a step goes to the innermost sub-process
/// that handles errors; without one, the instance fails.
/// </summary>
internal sealed class Interpreter
{
    private readonly InstanceHandler _instances;
    private readonly LaneState _lane;
    private readonly StepEvaluator _steps;
    private readonly ImmediateSteps _immediate;
    private readonly Stack<(string Step, int Scope, CaughtError? Caught)> _tokens = new();

    /// <summary>The value that the first or the failing token keeps for a retry of its step.</summary>
    private Value _kept;

    public Interpreter(InstanceHandler instances, LaneState lane)
    {
        _instances = instances;
        _lane = lane;
        _steps = instances.Steps;
        Events = new(instances, this, lane);
        _immediate = new(instances, this, lane);
    }

    public StepEvents Events { get; }

    /// <summary>The error that the current token handles; null if there is none or no token moves.</summary>
    public CaughtError? Caught { get; private set; }

    public void Run(LiveInstance instance, string step, int scope, CaughtError? caught, Value kept)
    {
        _kept = kept;
        _tokens.Clear();
        Events.Clear();
        _tokens.Push((step, scope, caught));
        Run(instance);
    }

    /// <summary>Adds a token for an event that does not end its step.</summary>
    public void RunBranch(LiveInstance instance, Wait wait, StepEvent came)
    {
        _tokens.Clear();
        Events.Clear();
        Events.Branch(instance, wait, came);
        Run(instance);
    }

    /// <summary>A step has failed after its wait, and a sub-process handles the error.</summary>
    /// <param name="failed">The token before the failed step; null if its waits are still there.</param>
    public void RunCaught(LiveInstance instance, ForkScope taking, StepFailure failure, Wait? failed)
    {
        _tokens.Clear();
        Events.Clear();
        Catch(instance, taking, failure, failed);
        Run(instance);
    }

    private void Run(LiveInstance instance)
    {
        while (!instance.IsFinished)
        {
            if (!_tokens.TryPop(out var token))
            {
                Caught = null;
                if (!Events.TryArmNext(instance))
                {
                    break;
                }
            }
            else
            {
                Caught = token.Caught is { } caught
                    ? CaughtError.Entering(instance, token.Step, token.Scope, caught)
                    : null;
                if (_steps.TryEnter(instance, token.Step))
                {
                    Execute(instance, token.Step, token.Scope);
                }
            }

            if (_steps.HasFailed && !TryCatch(instance, token.Step, token.Scope))
            {
                break;
            }
        }

        Caught = null;
        CompleteOrRest(instance);
    }

    /// <summary>Passes the error of a failed step to the sub-process that handles it, or fails the instance.</summary>
    /// <param name="step">Null if an event without a token could not be armed.</param>
    private bool TryCatch(LiveInstance instance, string? step, int scope)
    {
        var failure = _steps.TakeFailure()!;
        var failed = step is null ? null : Wait.Before(step, scope, Caught) with { Input = TakeKept() };
        if (!failure.IsLimit && instance.FindSubProcess(scope, catching: true) is { } taking)
        {
            Catch(instance, taking, failure, failed);
            return true;
        }

        _instances.Fail(instance, failure.Error);
        Events.KeepLater(instance);
        if (failed is not null)
        {
            // Keep the tokens that have not moved yet, too.
            instance.Waits.AddRange(_tokens.Select(token => Wait.Before(token.Step, token.Scope, token.Caught)));
            _tokens.Clear();
            CaughtError.Keep(instance.Definition, instance.Waits, instance.Scopes, failed);
        }

        return false;
    }

    /// <summary>Ends everything inside the sub-process. Its token continues with the error.</summary>
    private void Catch(LiveInstance instance, ForkScope taking, StepFailure failure, Wait? failed)
    {
        _kept = Value.Null;
        var caught = CaughtBy(instance, taking, failed);
        var (error, step) = (failure.Error, (SubProcessStep)instance.Definition.Steps[taking.Join]);
        InstanceHistory.Append(instance, _lane.Now, failure.What, error.Step, error.Message);
        var scope = _instances.Tokens.EndGroup(instance, taking.Id);
        instance.Assign(step.ErrorResult, StepValues.ErrorValue(error));
        InstanceHistory.Append(instance, _lane.Now, "caught", step.Id, step.OnError);
        Go(step.OnError!, scope, caught);
    }

    /// <summary>Keeps the tokens inside a sub-process for a retry before they end.</summary>
    /// <returns>Null or the present error if a <c>fail</c> step raised the error itself, because a retry would change
    /// nothing.</returns>
    private CaughtError? CaughtBy(LiveInstance instance, ForkScope taking, Wait? failed)
    {
        if (failed is not null && instance.Definition.Steps[failed.Step] is FailStep
            && (failed.Caught is null || !instance.IsWithin(failed.Caught.Scope, taking.Id)))
        {
            return failed.Caught;
        }

        var within = instance.ScopesWithin(taking.Id);
        var scopes = instance.Scopes.FindAll(scope => within.Contains(scope.Id));
        var waits = instance.Waits.FindAll(wait => within.Contains(wait.Scope));
        _instances.Tokens.KeepForRetry(instance, waits);
        waits.AddRange(_tokens.Where(token => within.Contains(token.Scope))
            .Select(token => Wait.Before(token.Step, token.Scope, token.Caught)));

        // An error that is handled outside is kept once, with the failed token.
        for (var i = 0; i < waits.Count; i++)
        {
            if (failed is not null && waits[i].Caught is { } outer && !within.Contains(outer.Scope))
            {
                waits[i] = waits[i] with { Caught = null };
            }
        }

        if (failed is not null)
        {
            CaughtError.Keep(instance.Definition, waits, scopes, failed);
        }

        return waits.Count == 0 ? null : CaughtError.Of(taking.Join, taking.Parent, waits, scopes);
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
                else
                {
                    _immediate.Execute(instance, step, scope);
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

    /// <summary>Moves a token to a step after the current one has returned.</summary>
    public void Go(string next, int scope) => Go(next, scope, Caught);

    /// <param name="caught">The error that the token handles; null if there is none.</param>
    public void Go(string next, int scope, CaughtError? caught) => _tokens.Push((next, scope, caught));

    /// <summary>A step has failed: its token takes the error path, or the step fails.</summary>
    /// <param name="kept">The value that a retry of the step starts with.</param>
    public void GoToErrorStep(
        LiveInstance instance, CallingStep step, string what, InstanceError error, int scope, Value kept = default)
    {
        if (step.OnError is not null)
        {
            InstanceHistory.Append(instance, _lane.Now, what, step.Id, error.Message);
            instance.Assign(step.ErrorResult, StepValues.ErrorValue(error));
            Go(step.OnError, scope, CaughtError.Of(Wait.Before(step.Id, scope, Caught) with { Input = kept }));
        }
        else
        {
            _steps.Fail(error, what);
        }
    }

    /// <summary>Completes the instance regardless of its other tokens.</summary>
    public void Terminate(LiveInstance instance)
    {
        _tokens.Clear();
        _instances.Complete(instance);
    }

    /// <summary>Removes the tokens in these scopes.</summary>
    public void Drop(HashSet<int> scopes)
    {
        var kept = _tokens.Where(token => !scopes.Contains(token.Scope)).ToArray();
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

    /// <summary>Ends a sub-process with everything that is still inside.</summary>
    public void Leave(LiveInstance instance, ForkScope scope, SubProcessStep step)
    {
        var around = _instances.Tokens.EndGroup(instance, scope.Id);
        InstanceHistory.AppendStep(instance, _lane.Now, "left", step.Id, step.Next);
        Go(step.Next, around);
    }

    /// <summary>
    /// Ends one token of a scope. After the last token, a fork continues behind its join if any branch arrived there
    /// and otherwise ends; a sub-process continues with its next step.
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
