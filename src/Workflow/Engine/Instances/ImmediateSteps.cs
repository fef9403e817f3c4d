using System.Diagnostics;
using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>Executes the steps that end within the transition: their token continues immediately or ends.</summary>
internal sealed class ImmediateSteps(InstanceHandler instances, Interpreter interpreter, LaneState lane)
{
    private readonly StepEvaluator _steps = instances.Steps;

    public void Execute(LiveInstance instance, StepDefinition step, int scope)
    {
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
            case RaiseStep raise:
                Raise(instance, raise, scope);
                break;
            case EndStep end:
                End(instance, end, scope);
                break;
            case FailStep fail:
                Fail(instance, fail);
                break;
            default:
                throw new UnreachableException($"Step '{step.Id}' is of type '{step.Type}', which waits.");
        }
    }

    private void Set(LiveInstance instance, SetStep set, int scope)
    {
        if (set.Values.Count == 1)
        {
            if (_steps.TryEvaluate(instance, set.Id, set.Values[0].Value, out var value))
            {
                instance.Assign(set.Values[0].Key, value);
                InstanceHistory.AppendStep(instance, lane.Now, "set", set.Id, set.Values[0].Key);
                interpreter.Go(set.Next, scope);
            }

            return;
        }

        var values = new Value[set.Values.Count];
        for (var i = 0; i < values.Length; i++)
        {
            if (!_steps.TryEvaluate(instance, set.Id, set.Values[i].Value, out values[i]))
            {
                return;
            }
        }

        for (var i = 0; i < values.Length; i++)
        {
            instance.Assign(set.Values[i].Key, values[i]);
        }

        InstanceHistory.AppendStep(instance, lane.Now, "set", set.Id);
        interpreter.Go(set.Next, scope);
    }

    private void Decide(LiveInstance instance, DecideStep decide, int scope)
    {
        foreach (var one in decide.Cases)
        {
            if (!_steps.TryEvaluateCondition(decide, one.When, instance.Variables, out var isTaken))
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
            InstanceHistory.AppendStep(instance, lane.Now, "decided", decide.Id, next);
            interpreter.Go(next, scope);
        }
    }

    private void Fork(LiveInstance instance, ForkStep fork, int scope)
    {
        InstanceHistory.AppendStep(instance, lane.Now, "forked", fork.Id);
        GoAll(instance, fork.Branches, fork.Join, scope);
    }

    private void Split(LiveInstance instance, InclusiveStep step, int scope)
    {
        List<string> taken = [];
        foreach (var one in step.Cases)
        {
            if (!_steps.TryEvaluateCondition(step, one.When, instance.Variables, out var isTaken))
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

        InstanceHistory.AppendStep(instance, lane.Now, "forked", step.Id, string.Join(", ", taken));
        GoAll(instance, taken, step.Join, scope);
    }

    private void GoAll(LiveInstance instance, IReadOnlyList<string> branches, string join, int scope)
    {
        var opened = instance.OpenScope(scope, join, branches.Count);
        for (var i = branches.Count - 1; i >= 0; i--)
        {
            interpreter.Go(branches[i], opened.Id);
        }
    }

    private void Join(LiveInstance instance, JoinStep join, int scope)
    {
        // The compiler ensures that a join is reached only from the branches of its fork.
        var fork = instance.FindScope(scope)!;
        fork.Arrived++;
        InstanceHistory.AppendStep(instance, lane.Now, "joined", join.Id);
        interpreter.Close(instance, fork);
    }

    private void Raise(LiveInstance instance, RaiseStep step, int scope)
    {
        if (!_steps.TryEvaluate(instance, step.Id, step.Payload, out var payload)
            || !_steps.TrySpend(step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(payload)))
        {
            return;
        }

        lane.Raise(instance.Trace, (id, stamps) => new EventRaised
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
        InstanceHistory.AppendStep(instance, lane.Now, "raised", step.Id, step.Event);
        interpreter.Go(step.Next, scope);
    }

    private void End(LiveInstance instance, EndStep step, int scope)
    {
        if (step.Output is not null)
        {
            if (!_steps.TryEvaluate(instance, step.Id, step.Output, out var output)
                || !_steps.TrySpend(step.Id, Evaluation.WorkOfWriting(output)))
            {
                return;
            }

            if (!_steps.TryKeep(step.Id, "output", output))
            {
                return;
            }

            instance.Output = output;
        }

        if (step.Terminate && instance.FindSubProcess(scope) is { } inside)
        {
            interpreter.Leave(instance, inside, (SubProcessStep)instance.Definition.Steps[inside.Join]);
        }
        else if (step.Terminate)
        {
            interpreter.Terminate(instance);
        }
        else if (instance.FindScope(scope) is { } branch)
        {
            interpreter.Close(instance, branch);
        }
    }

    private void Fail(LiveInstance instance, FailStep step)
    {
        if (!_steps.TryEvaluate(instance, step.Id, step.Error, out var error)
            || !_steps.TryEvaluate(instance, step.Id, step.Code, out var given))
        {
            return;
        }

        var code = StepValues.Text(given);
        var problem = code is null ? null : StoreLimits.TextProblem(code, StoreLimits.MaxName);
        _steps.Fail((code is null && !given.IsNull) || problem is not null
            ? StepValues.UnusableValue(
                instance, step.Id, "code", step.Code!, given, $"a text of 1 to {StoreLimits.MaxName} characters",
                problem)
            : new(StepValues.Text(error) ?? StepValues.SourceText(step.Error), step.Id, Code: code));
    }
}
