using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Configuration;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Execution;

/// <summary>Moves the tokens of an instance until each waits or has finished. An error in a step fails the instance alone.</summary>
internal sealed class Interpreter
{
    private readonly LaneExecutor _executor;
    private readonly CommandBudget _budget;
    private readonly WaitingSteps _waiting;
    private readonly StepEvents _events;
    private readonly Stack<(string Step, int Scope)> _tokens = new();

    /// <summary>What the first token, or the one that fails, keeps for another try of its step.</summary>
    private Value _kept;

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
    public void Begin() => _budget.Begin();

    public ElementCalls Elements { get; }

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

    private void Run(LiveInstance instance)
    {
        while (!instance.IsFinished)
        {
            if (!_tokens.TryPop(out var token))
            {
                if (_events.TryArmNext(instance))
                {
                    continue;
                }

                break;
            }

            if (_budget.Enter(instance, token.Step) is { } overspent)
            {
                Fail(instance, overspent);
            }
            else
            {
                Execute(instance, token.Step, token.Scope);
            }

            if (instance.State == InstanceState.Failed)
            {
                KeepTokens(instance, token);
                return;
            }
        }

        CompleteOrRest(instance);
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
            _executor.Complete(instance);
            return;
        }

        instance.State = instance.StateAtRest;
    }

    public void Go(string next, int scope) => _tokens.Push((next, scope));

    /// <summary>Evaluates a value of a step; null where the step has none.</summary>
    /// <returns>False when that took more than the command's budget, or broke off: the instance has failed.</returns>
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
            Fail(instance, new($"Step '{step}' broke off: {e.Message}", step, StepValues.Written(template!)));
            return false;
        }

        return TrySpend(instance, step, 0);
    }

    /// <returns>Whether the condition is true; false also when the instance has failed for its work.</returns>
    public bool IsTrue(LiveInstance instance, string step, Expression condition, IReadOnlyDictionary<string, Value> variables)
    {
        var isTrue = condition.Evaluate(variables, _budget.Work).IsTrue;
        return TrySpend(instance, step, 0) && isTrue;
    }

    public void Keep(Value kept) => _kept = kept;

    public Value TakeKept()
    {
        var kept = _kept;
        _kept = Value.Null;
        return kept;
    }

    /// <summary>Whether a value is small enough for the instance to keep it.</summary>
    /// <returns>False when it is not: the instance has failed.</returns>
    public bool TryKeep(LiveInstance instance, string step, string what, Value value)
    {
        if (_budget.Keep(what, value, step) is { } tooLarge)
        {
            Fail(instance, tooLarge);
            return false;
        }

        return true;
    }

    /// <returns>False when the budget is exceeded: the instance has failed.</returns>
    public bool TrySpend(LiveInstance instance, string step, long work)
    {
        if (_budget.Work.TrySpend(work))
        {
            return true;
        }

        Fail(instance, _budget.Overspent(step));
        return false;
    }

    /// <summary>Before a wait begins: what it costs, and whether the instance may have one more.</summary>
    /// <param name="input">What the wait keeps, or what is written for it.</param>
    /// <param name="isEvent">Whether it is the wait for an event, beside that of the step.</param>
    /// <param name="isKept">Whether the wait keeps it, whatever the step.</param>
    /// <returns>False when it may not: the instance has failed.</returns>
    public bool TryRest(LiveInstance instance, StepDefinition step, Value input = default, bool isEvent = false, bool isKept = false)
    {
        if (_budget.Rest(instance, step, isKept || step is InvokeStep ? input : default, isEvent) is { } tooLarge)
        {
            Fail(instance, tooLarge);
            return false;
        }

        return TrySpend(instance, step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(input));
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
            if (!TrySpend(instance, decide.Id, 0))
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
            if (!TrySpend(instance, step.Id, 0))
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
            Fail(instance, new($"Join '{join.Id}' was reached from outside its fork.", join.Id));
            return;
        }

        met.Arrived++;
        InstanceHistory.AppendStep(instance, _executor.Now, "joined", join.Id);
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
        else if (instance.FindScope(scope.Parent) is { } parent)
        {
            Close(instance, parent);
        }
    }

    private void Raise(LiveInstance instance, RaiseStep step, int scope)
    {
        if (!TryEvaluate(instance, step.Id, step.Payload, out var payload)
            || !TrySpend(instance, step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(payload)))
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
                || !TrySpend(instance, step.Id, Evaluation.WorkOfWriting(output)))
            {
                return;
            }

            if (!TryKeep(instance, step.Id, "output", output))
            {
                return;
            }

            instance.Output = output;
        }

        if (step.Terminate)
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
        Fail(instance, (code is null && !given.IsNull) || problem is not null
            ? StepValues.Unusable(
                instance, step.Id, "code", step.Code!, given, $"a text of 1 to {StoreLimits.MaxName} characters", problem)
            : new(StepValues.Text(error) ?? StepValues.Written(step.Error), step.Id, Code: code));
    }

    public void Fail(LiveInstance instance, InstanceError error) => _executor.Fail(instance, error);
}
