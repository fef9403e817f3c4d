namespace Workflow.Engine.Calls;

/// <summary>
/// Sub-workflows. A child's id is the id of its parent's wait, and its partition is its parent's, so both are always in the same lane: what
/// one changes in the other is in the same commit.
/// </summary>
internal sealed class CallHandler : WaitHandler
{
    /// <summary>Nesting of calls: deeper ones are definitions that call one another in a circle.</summary>
    private const int MaxCallDepth = 32;

    private readonly LaneContext _lane;

    public CallHandler(InstanceHandler instances, LaneContext lane)
        : base(instances)
    {
        _lane = lane;
        instances.Waits[WaitKind.Call] = this;
    }

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) => Begin(instance, (CallStep)step, scope);

    public override void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        var step = (CallStep)instance.Definition.Steps[wait.Step];
        if (error is not null)
        {
            Instances.Tokens.TakeErrorWay(instance, wait, step, "callFailed", error);
        }
        else
        {
            Instances.Tokens.GoOn(instance, wait, step, value, "returned", wait.Id.ToString());
        }
    }

    /// <summary>The parent waits no longer: its child is cancelled.</summary>
    public override void End(LiveInstance instance, Wait wait, TaskState state)
    {
        if (Instances.Live.GetValueOrDefault(wait.Id) is { } child)
        {
            Instances.Cancel(child, $"Instance {instance.Id}, which called it, "
                + $"{(instance.IsFinished ? $"is {instance.State.ToString().ToLowerInvariant()}" : "waited no longer")}.");
        }
    }

    /// <summary>Before a call: what it costs, and whether there is what is called.</summary>
    /// <param name="definition">What is called; null when there is an error.</param>
    /// <returns>False when the instance may not call: the step has failed.</returns>
    public bool TryCall(
        LiveInstance instance, CallingStep step, (string Name, int? Version) called, Value input, out WorkflowDefinition? definition,
        out InstanceError? error)
    {
        definition = null;
        error = null;
        if (!Instances.Steps.TryRest(instance, step, input) || !Instances.Steps.TrySpend(step.Id, CommandBudget.CallWork))
        {
            return false;
        }

        definition = _lane.Host.FindDefinition(called.Name, called.Version);
        var problem = definition is null ? "it is not registered. Register it with POST "
            + $"/definitions{(called.Version is { } version ? $", version {version}," : "")} and start again."
            : input.Kind is not (ValueKind.Null or ValueKind.Context)
                ? $"its input is a {input.Kind}; it must be an object whose members become the first variables."
            : instance.Depth >= MaxCallDepth ? $"{instance.Depth} calls lie above it already: definitions call one another in a circle."
            : null;
        if (problem is not null)
        {
            definition = null;
            error = new($"Sub-workflow '{called.Name}' was not started: {problem}", step.Id);
        }

        return true;
    }

    /// <summary>Starts a child, which runs when its parent has come to rest.</summary>
    public void Call(LiveInstance parent, Wait wait, WorkflowDefinition definition, Value input)
    {
        var child = new LiveInstance
        {
            Id = wait.Id,
            Partition = parent.Partition,
            Definition = definition,
            CorrelationKey = null,
            ParentId = parent.Id,
            Depth = parent.Depth + 1,
            CreatedUtc = _lane.Now,
            Trace = parent.Trace,
            UpdatedUtc = _lane.Now,
            Variables = InstanceHandler.VariablesOf(input),
        };
        Instances.Add(child, $"called by {parent.Id}");
        parent.Children++;
        Instances.BeginWait(parent, wait);
        _lane.Batch.AddChild(new(parent.Id, child.Id));
        _lane.Batch.Tally.Called++;
        Instances.Relatives.Add(child);
    }

    private void Begin(LiveInstance instance, CallStep step, int scope)
    {
        if (!Instances.Steps.TryEvaluate(instance, step.Id, step.Input, out var input)
            || !TryCall(instance, step, (step.Definition, step.Version), input, out var definition, out var error))
        {
            return;
        }

        if (error is not null)
        {
            Instances.Interpreter.GoByError(instance, step, "callFailed", error, scope);
            return;
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Call, scope) with
        {
            Id = Instances.NewId(instance.Partition),
            Name = step.Definition,
            DueUtc = step.Timeout is { } timeout ? _lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, _lane.Now, "waiting", step.Id, wait.Id.ToString());
        Call(instance, wait, definition!, input);
    }
}
