using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Execution;

/// <content>
/// Sub-workflows. A child's id is the id of its parent's wait and of its parent's partition, so that both always are in the same lane: whatever
/// happens to one because of the other is in the same commit, and neither can outlive it unnoticed.
/// </content>
internal sealed partial class LaneExecutor
{
    /// <summary>Children to run and children that have ended. They wait until the interpreter, which runs one instance at a time, is free.</summary>
    private readonly Queue<LiveInstance> _relatives = new();

    private bool _settling;

    public WorkflowDefinition? FindDefinition(string name, int? version) => _host.FindDefinition(name, version);

    public void BeginCall(LiveInstance parent, Wait wait, WorkflowDefinition definition, Value input)
    {
        var child = new LiveInstance
        {
            Id = wait.Id,
            Partition = parent.Partition,
            Definition = definition,
            CorrelationKey = null,
            ParentId = parent.Id,
            Depth = parent.Depth + 1,
            CreatedUtc = _now,
            UpdatedUtc = _now,
            Variables = VariablesOf(input),
        };
        State.Instances.Add(child.Id, child);
        InstanceHistory.Append(child, _now, "started", definition.Start, $"called by {parent.Id}");
        parent.Children++;
        BeginTimer(parent, wait);
        Batch.AddChild(new(parent.Id, child.Id));
        Batch.Touch(child);
        Batch.Tally.Start(_command.AcceptedTicks);
        Batch.Tally.Called++;
        _relatives.Enqueue(child);
    }

    /// <returns>False when the instance is not live here.</returns>
    public bool Cancel(Guid id)
    {
        if (State.Instances.GetValueOrDefault(id) is not { } instance)
        {
            return false;
        }

        Cancel(instance, "It was asked for.");
        return true;
    }

    private void Cancel(LiveInstance instance, string reason)
    {
        Leave(instance, InstanceState.Cancelled);
        InstanceHistory.Append(instance, _now, "cancelled", detail: reason);
        Batch.Tally.Cancelled++;
        Raise((id, stamps) => new InstanceCancelled
        {
            Id = id,
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            Reason = reason,
            Timestamps = stamps,
        });
    }

    private void CancelChild(LiveInstance parent, Wait wait)
    {
        if (State.Instances.GetValueOrDefault(wait.Id) is { } child)
        {
            Cancel(child, $"Instance {parent.Id}, which called it, {(parent.IsFinished ? $"is {parent.State.ToString().ToLowerInvariant()}" : "waited no longer")}.");
        }
    }

    /// <summary>Runs children that were called and lets parents go on whose child has ended, until nothing more follows from it.</summary>
    private void Settle()
    {
        if (_settling)
        {
            return;
        }

        _settling = true;
        while (_relatives.TryDequeue(out var relative))
        {
            if (relative.IsFinished)
            {
                Return(relative);
            }
            else
            {
                Run(relative, relative.Definition.Start, scope: 0);
            }
        }

        _settling = false;
    }

    private void Return(LiveInstance child)
    {
        if (State.Instances.GetValueOrDefault(child.ParentId!.Value) is not { } parent || parent.FindWait(child.Id) is not { } wait)
        {
            // The parent has ended or gone on, and cancelled the child.
            return;
        }

        var step = (CallStep)parent.Definition.Steps[wait.Step];
        parent.Waits.Remove(wait);
        if (child.State == InstanceState.Completed)
        {
            parent.Assign(step.Result, child.Output);
            Resume(parent, wait, "returned", step.Next, child.Id.ToString());
            return;
        }

        var error = child.Error is { } incident
            ? $"Sub-workflow '{child.Definition.Name}' ({child.Id}) failed{(incident.Step is null ? "" : $" at step '{incident.Step}'")}: {incident.Message}"
            : $"Sub-workflow '{child.Definition.Name}' ({child.Id}) was cancelled.";
        if (step.OnError is not null)
        {
            Resume(parent, wait, "callFailed", step.OnError, error);
        }
        else
        {
            Fail(parent, new InstanceError(error, step.Id));
        }
    }

    private static Dictionary<string, Value> VariablesOf(Value input) => input.IsNull ? new(StringComparer.Ordinal) : new(input.AsContext(), StringComparer.Ordinal);
}
