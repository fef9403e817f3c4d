using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Calls;
using Workflow.Engine.Configuration;
using Workflow.Engine.Lanes;

namespace Workflow.Engine.Instances;

/// <summary>
/// Moves the tokens of an instance until each waits or has finished. An error in a step goes to the sub-process around it that takes
/// errors, or fails the instance alone.
/// </summary>
internal sealed class Interpreter
{
    private readonly LaneExecutor _executor;
    private readonly CommandBudget _budget;
    private readonly WaitingSteps _waiting;
    private readonly StepEvents _events;
    private readonly Stack<(string Step, int Scope)> _tokens = new();

    /// <summary>What the first token, or the one that fails, keeps for another try of its step.</summary>
    private Value _kept;

    /// <summary>Why the present step fails: acted upon once it has returned.</summary>
    private StepFailure? _failure;

    public Interpreter(LaneExecutor executor, WorkflowEngineOptions options)
    {
        _executor = executor;
        _budget = new(options);
        MaxInstanceSize = options.Limits.MaxInstanceSize;
        _waiting = new(this, executor);
        _events = new(this, _waiting, executor);
        Elements = new(this, _waiting, _events, executor);
    }

    /// <summary>Characters of JSON of any value that an instance takes.</summary>
    public int MaxInstanceSize { get; }

    /// <summary>A command begins: what it may cost counts over all its instances.</summary>
    public void Begin()
    {
        _budget.Begin();
        _failure = null;
    }

    public ElementCalls Elements { get; }

    /// <summary>Whether the present step fails: nothing more of it is done.</summary>
    public bool HasFailed => _failure is not null;

    public void Run(LiveInstance instance, string step, int scope, Value kept = default)
    {
        _kept = kept;
        _tokens.Clear();
        _events.Clear();
        _tokens.Push((step, scope));
        Run(instance);
    }

    /// <summary>An event came that does not end its step: one more token.</summary>
    public void RunBranch(LiveInstance instance, Wait wait, StepEvent came)
    {
        _tokens.Clear();
        _events.Clear();
        _events.Branch(instance, wait, came);
        Run(instance);
    }

    /// <summary>A step whose wait was over has failed, and a sub-process takes the error.</summary>
    public void RunCaught(LiveInstance instance, ForkScope taking, StepFailure failure)
    {
        _tokens.Clear();
        _events.Clear();
        Catch(instance, taking, failure);
        Run(instance);
    }

    private void Run(LiveInstance instance)
    {
        while (!instance.IsFinished)
        {
            if (!_tokens.TryPop(out var token))
            {
                if (!_events.TryArmNext(instance))
                {
                    break;
                }
            }
            else if (_budget.Enter(instance, token.Step) is { } overspent)
            {
                Exceed(overspent);
            }
            else
            {
                Execute(instance, token.Step, token.Scope);
            }

            if (_failure is not null && !TryCatch(instance, token))
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
        var failure = TakeFailure()!;
        if (!failure.IsLimit && instance.FindSubProcess(token.Scope, catching: true) is { } taking)
        {
            Catch(instance, taking, failure);
            return true;
        }

        _executor.Fail(instance, failure.Error);
        _events.KeepLater(instance);
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
        InstanceHistory.Append(instance, _executor.Now, failure.What, error.Step, error.Message);
        var scope = _executor.EndGroup(instance, taking.Id);
        instance.Assign(step.ErrorResult, StepValues.OfError(error));
        InstanceHistory.Append(instance, _executor.Now, "caught", step.Id, step.OnError);
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
            case SetStep set:
                Set(instance, set, scope);
                break;
            case DecideStep decide:
                Decide(instance, decide, scope);
                break;
            case ForkStep fork:
                Fork(instance, fork, scope);
                break;
            case InclusiveStep inclusive:
                Split(instance, inclusive, scope);
                break;
            case JoinStep join:
                Join(instance, join, scope);
                break;
            case DelayStep delay:
                _waiting.Begin(instance, delay, scope);
                break;
            case CallEachStep each:
                Elements.Begin(instance, each, scope);
                break;
            case AwaitingStep { Boundary: null } awaiting:
                _waiting.Begin(instance, awaiting, scope);
                break;
            case AwaitingStep awaiting:
                _events.Begin(instance, awaiting, scope);
                break;
            case WaitFirstStep first:
                _events.Begin(instance, first, scope);
                break;
            case RaiseStep raise:
                Raise(instance, raise, scope);
                break;
            case EndStep end:
                End(instance, end, scope);
                break;
            case FailStep fail:
                FailBy(instance, fail);
                break;
            case SubProcessStep process:
                Enter(instance, process, scope);
                break;
            default:
                Exceed(new($"Step '{id}' is of type '{step.Type}', which this engine does not execute.", id));
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
            _executor.Complete(instance);
            return;
        }

        instance.State = instance.StateAtRest;
    }

    public void Go(string next, int scope) => _tokens.Push((next, scope));

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

    /// <summary>Evaluates a value of a step; null where the step has none.</summary>
    /// <returns>False when that took more than the command's budget, or broke off: the step has failed.</returns>
    public bool TryEvaluate(LiveInstance instance, string step, Template? template, out Value value) =>
        TryEvaluate(instance, step, template, instance.Variables, out value);

    public bool TryEvaluate(
        LiveInstance instance, string step, Template? template, IReadOnlyDictionary<string, Value> variables, out Value value)
    {
        value = Value.Null;
        try
        {
            value = template?.Evaluate(variables, _budget.Work) ?? Value.Null;
        }
        catch (Exception e)
        {
            // An expression has no exceptions; if one comes all the same, it is this instance's.
            Fail(new($"Step '{step}' broke off: {e.Message}", step, StepValues.Written(template!)));
            return false;
        }

        return TrySpend(step, 0);
    }

    /// <returns>Whether the condition is true; false also when the step has failed for its work.</returns>
    public bool IsTrue(string step, Expression condition, IReadOnlyDictionary<string, Value> variables)
    {
        var isTrue = condition.Evaluate(variables, _budget.Work).IsTrue;
        return TrySpend(step, 0) && isTrue;
    }

    public void Keep(Value kept) => _kept = kept;

    public Value TakeKept()
    {
        var kept = _kept;
        _kept = Value.Null;
        return kept;
    }

    /// <summary>Whether a value is small enough for the instance to keep it.</summary>
    /// <returns>False when it is not: the step has failed.</returns>
    public bool TryKeep(string step, string what, Value value)
    {
        if (_budget.Keep(what, value, step) is { } tooLarge)
        {
            Exceed(tooLarge);
            return false;
        }

        return true;
    }

    /// <returns>False when the budget is exceeded: the step has failed.</returns>
    public bool TrySpend(string step, long work)
    {
        if (_budget.Work.TrySpend(work))
        {
            return true;
        }

        Exceed(_budget.Overspent(step));
        return false;
    }

    /// <summary>Before a wait begins: what it costs, and whether the instance may have one more.</summary>
    /// <param name="input">What the wait keeps, or what is written for it.</param>
    /// <param name="isEvent">Whether it is the wait for an event, beside that of the step.</param>
    /// <param name="isKept">Whether the wait keeps it, whatever the step.</param>
    /// <returns>False when it may not: the step has failed.</returns>
    public bool TryRest(LiveInstance instance, StepDefinition step, Value input = default, bool isEvent = false, bool isKept = false)
    {
        if (_budget.Rest(instance, step, isKept || step is InvokeStep ? input : default, isEvent) is { } tooLarge)
        {
            Exceed(tooLarge);
            return false;
        }

        return TrySpend(step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(input));
    }

    private void Set(LiveInstance instance, SetStep set, int scope)
    {
        if (set.Values.Count == 1)
        {
            if (TryEvaluate(instance, set.Id, set.Values[0].Value, out var value))
            {
                instance.Assign(set.Values[0].Key, value);
                InstanceHistory.AppendStep(instance, _executor.Now, "set", set.Id, set.Values[0].Key);
                Go(set.Next, scope);
            }

            return;
        }

        var values = new Value[set.Values.Count];
        for (var i = 0; i < values.Length; i++)
        {
            if (!TryEvaluate(instance, set.Id, set.Values[i].Value, out values[i]))
            {
                return;
            }
        }

        for (var i = 0; i < values.Length; i++)
        {
            instance.Assign(set.Values[i].Key, values[i]);
        }

        InstanceHistory.AppendStep(instance, _executor.Now, "set", set.Id);
        Go(set.Next, scope);
    }

    private void Decide(LiveInstance instance, DecideStep decide, int scope)
    {
        foreach (var one in decide.Cases)
        {
            var isTaken = one.When.Evaluate(instance.Variables, _budget.Work).IsTrue;
            if (!TrySpend(decide.Id, 0))
            {
                return;
            }

            if (isTaken)
            {
                Decided(one.Next);
                return;
            }
        }

        Decided(decide.Otherwise);

        void Decided(string next)
        {
            InstanceHistory.AppendStep(instance, _executor.Now, "decided", decide.Id, next);
            Go(next, scope);
        }
    }

    private void Fork(LiveInstance instance, ForkStep fork, int scope)
    {
        InstanceHistory.AppendStep(instance, _executor.Now, "forked", fork.Id);
        GoAll(instance, fork.Branches, fork.Join, scope);
    }

    private void Split(LiveInstance instance, InclusiveStep step, int scope)
    {
        List<string> taken = [];
        foreach (var one in step.Cases)
        {
            var isTaken = one.When.Evaluate(instance.Variables, _budget.Work).IsTrue;
            if (!TrySpend(step.Id, 0))
            {
                return;
            }

            if (isTaken)
            {
                taken.Add(one.Next);
            }
        }

        if (taken.Count == 0)
        {
            taken.Add(step.Otherwise);
        }

        InstanceHistory.AppendStep(instance, _executor.Now, "forked", step.Id, string.Join(", ", taken));
        GoAll(instance, taken, step.Join, scope);
    }

    private void GoAll(LiveInstance instance, IReadOnlyList<string> branches, string join, int scope)
    {
        var opened = instance.OpenScope(scope, join, branches.Count);
        for (var i = branches.Count - 1; i >= 0; i--)
        {
            Go(branches[i], opened.Id);
        }
    }

    private void Join(LiveInstance instance, JoinStep join, int scope)
    {
        if (instance.Scopes.Find(s => s.Id == scope && s.Join == join.Id) is not { } met)
        {
            Exceed(new($"Join '{join.Id}' was reached from outside its fork.", join.Id));
            return;
        }

        met.Arrived++;
        InstanceHistory.AppendStep(instance, _executor.Now, "joined", join.Id);
        Close(instance, met);
    }

    private void Enter(LiveInstance instance, SubProcessStep step, int scope)
    {
        InstanceHistory.AppendStep(instance, _executor.Now, "entered", step.Id, step.Start);
        var opened = instance.OpenScope(scope, step.Id, 1).Id;
        Go(step.Start, opened);
        _events.Begin(instance, step, opened);
    }

    /// <summary>A sub-process is over, with whatever is still inside.</summary>
    private void Leave(LiveInstance instance, ForkScope scope, SubProcessStep step)
    {
        var around = _executor.EndGroup(instance, scope.Id);
        InstanceHistory.AppendStep(instance, _executor.Now, "left", step.Id, step.Next);
        Go(step.Next, around);
    }

    /// <summary>
    /// One token less. Of a fork the last one continues after the join if any branch arrived there, else the fork ends there; of a
    /// sub-process it goes on with the next step.
    /// </summary>
    private void Close(LiveInstance instance, ForkScope scope)
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

    private void Raise(LiveInstance instance, RaiseStep step, int scope)
    {
        if (!TryEvaluate(instance, step.Id, step.Payload, out var payload)
            || !TrySpend(step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(payload)))
        {
            return;
        }

        _executor.Raise(instance.Trace, (id, stamps) => new EventRaised
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
        InstanceHistory.AppendStep(instance, _executor.Now, "raised", step.Id, step.Event);
        Go(step.Next, scope);
    }

    private void End(LiveInstance instance, EndStep step, int scope)
    {
        if (step.Output is not null)
        {
            if (!TryEvaluate(instance, step.Id, step.Output, out var output)
                || !TrySpend(step.Id, Evaluation.WorkOfWriting(output)))
            {
                return;
            }

            if (!TryKeep(step.Id, "output", output))
            {
                return;
            }

            instance.Output = output;
        }

        if (step.Terminate && instance.FindSubProcess(scope) is { } inside)
        {
            Leave(instance, inside, (SubProcessStep)instance.Definition.Steps[inside.Join]);
        }
        else if (step.Terminate)
        {
            _tokens.Clear();
            _executor.Complete(instance);
        }
        else if (instance.FindScope(scope) is { } branch)
        {
            Close(instance, branch);
        }
    }

    private void FailBy(LiveInstance instance, FailStep step)
    {
        if (!TryEvaluate(instance, step.Id, step.Error, out var error) || !TryEvaluate(instance, step.Id, step.Code, out var given))
        {
            return;
        }

        var code = StepValues.Text(given);
        var problem = code is null ? null : StoreLimits.TextProblem(code, StoreLimits.MaxName);
        Fail((code is null && !given.IsNull) || problem is not null
            ? StepValues.Unusable(
                instance, step.Id, "code", step.Code!, given, $"a text of 1 to {StoreLimits.MaxName} characters", problem)
            : new(StepValues.Text(error) ?? StepValues.Written(step.Error), step.Id, Code: code));
    }

    /// <summary>The present step fails, with an error that a sub-process around it may take.</summary>
    /// <param name="what">What the history calls it.</param>
    public void Fail(InstanceError error, string what = "stepFailed") => _failure = new(error, what);

    /// <summary>The present step fails, and the instance with it: a limit, or what this engine cannot execute.</summary>
    public void Exceed(InstanceError error) => _failure = new(error, "stepFailed", IsLimit: true);

    /// <summary>Why the present step fails; null when it does not. Afterwards it does no more.</summary>
    public StepFailure? TakeFailure()
    {
        var failure = _failure;
        _failure = null;
        return failure;
    }
}

/// <summary>Why a step fails.</summary>
/// <param name="What">What the history calls it when a sub-process takes the error.</param>
/// <param name="IsLimit">Whether the instance fails whatever is around the step.</param>
internal sealed record StepFailure(InstanceError Error, string What, bool IsLimit = false);
