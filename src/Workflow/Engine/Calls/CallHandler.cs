namespace Workflow.Engine.Calls;

/// <summary>
/// Sub-workflows. The id of a child is the id of its parent's wait, and both have the same partition. They are always
/// in the same lane, so a change of one that affects the other is in the same commit.
/// </summary>
internal sealed class CallHandler(InstanceHandler instances, LaneState lane) : WaitHandler(instances)
{
    /// <summary>
    /// The maximum nesting of calls. Deeper calls come from definitions that call one another in a circle.
    /// </summary>
    private const int MaxCallDepth = 32;

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        Begin(instance, (CallStep)step, scope);

    public override void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error)
    {
        var step = (CallStep)instance.Definition.Steps[wait.Step];
        if (error is not null)
        {
            Instances.Tokens.ContinueWithError(instance, wait, step, "callFailed", error);
        }
        else
        {
            Instances.Tokens.Continue(instance, wait, step, value, "returned", wait.Id.ToString());
        }
    }

    /// <summary>The parent no longer waits: cancels its child.</summary>
    public override void End(LiveInstance instance, Wait wait, TaskState state)
    {
        if (lane.Dormancy.Find(wait.Id) is { } child)
        {
            var reason = instance.IsFinished
                ? $"is {instance.State.ToString().ToLowerInvariant()}"
                : "waited no longer";
            Instances.Cancel(child, $"Instance {instance.Id}, which called it, {reason}.");
        }
    }

    /// <summary>Spends the work of a call and finds the called definition.</summary>
    /// <param name="definition">The called definition; null if there is an error.</param>
    /// <returns>False if the step has failed: the instance may not call.</returns>
    public bool TryCall(
        LiveInstance instance, CallingStep step, (string Name, int? Version) called, Value input,
        out WorkflowDefinition? definition,
        out InstanceError? error)
    {
        definition = null;
        error = null;
        if (!Instances.Steps.TryAddWait(instance, step, input)
            || !Instances.Steps.TrySpend(step.Id, CommandBudget.CallWork))
        {
            return false;
        }

        definition = lane.Host.FindDefinition(called.Name, called.Version);
        var problem = definition is null ? "it is not registered. Register it with POST "
            + $"/definitions{(called.Version is { } version ? $", version {version}," : "")} and start again."
            : input.Kind is not (ValueKind.Null or ValueKind.Context)
                ? $"its input is a {input.Kind}; it must be an object whose members become the first variables."
            : instance.Depth >= MaxCallDepth ? $"{instance.Depth} calls lie above it already: definitions call one "
                + "another in a circle."
            : null;
        if (problem is not null)
        {
            definition = null;
            error = new($"Sub-workflow '{called.Name}' was not started: {problem}", step.Id);
        }

        return true;
    }

    /// <summary>Starts a child, which runs when its parent is at rest.</summary>
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
            CreatedUtc = lane.Now,
            Trace = parent.Trace,
            UpdatedUtc = lane.Now,
            Variables = InstanceHandler.VariablesOf(input),
        };
        Instances.Add(child, $"called by {parent.Id}");
        parent.Children++;
        Instances.BeginWait(parent, wait);
        lane.Batch.AddChild(new(parent.Id, child.Id));
        lane.Batch.Tally.Called++;
        Instances.CallQueue.Add(child);
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
            Instances.Interpreter.GoToErrorStep(instance, step, "callFailed", error, scope);
            return;
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Call, scope) with
        {
            Id = Instances.NewId(instance.Partition),
            Name = step.Definition,
            DueUtc = step.Timeout is { } timeout ? lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, wait.Id.ToString());
        Call(instance, wait, definition!, input);
    }
}
