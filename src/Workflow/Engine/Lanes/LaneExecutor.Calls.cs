using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Calls;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Lanes;

/// <content>
/// Sub-workflows. A child's id is the id of its parent's wait, and its partition is its parent's, so both are always in the same lane: what
/// one changes in the other is in the same commit.
/// </content>
internal sealed partial class LaneExecutor
{
    /// <summary>Children to run and finished children. They wait until the interpreter is free: it runs one instance at a time.</summary>
    private readonly Queue<LiveInstance> _relatives = new();

    private bool _runningRelatives;

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
            Trace = parent.Trace,
            UpdatedUtc = _now,
            Variables = VariablesOf(input),
        };
        State.Instances.Add(child.Id, child);
        Batch.Touch(child);
        InstanceHistory.Append(child, _now, "started", definition.Start, $"called by {parent.Id}");
        parent.Children++;
        BeginTimer(parent, wait);
        Batch.AddChild(new(parent.Id, child.Id));
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
        Finish(instance, InstanceState.Cancelled);
        InstanceHistory.Append(instance, _now, "cancelled", detail: reason);
        Batch.Tally.Cancelled++;
        RaiseOf(instance, (id, stamps) => new InstanceCancelled { Id = id, Reason = reason, Timestamps = stamps });
    }

    private void CancelChild(LiveInstance parent, Wait wait)
    {
        if (State.Instances.GetValueOrDefault(wait.Id) is { } child)
        {
            Cancel(child, $"Instance {parent.Id}, which called it, "
                + $"{(parent.IsFinished ? $"is {parent.State.ToString().ToLowerInvariant()}" : "waited no longer")}.");
        }
    }

    /// <summary>Runs called children and resumes the parents of finished ones, until none is left.</summary>
    private void RunRelatives()
    {
        if (_runningRelatives)
        {
            return;
        }

        _runningRelatives = true;
        while (_relatives.TryDequeue(out var relative))
        {
            if (relative.IsFinished)
            {
                ReturnToParent(relative);
            }
            else
            {
                Run(relative, relative.Definition.Start, scope: 0);
            }
        }

        _runningRelatives = false;
    }

    private void ReturnToParent(LiveInstance child)
    {
        if (State.Instances.GetValueOrDefault(child.ParentId!.Value) is not { } parent
            || parent.FindWait(child.Id) is not { IsReady: false } wait)
        {
            // The parent has finished or timed out, and cancelled the child.
            return;
        }

        Batch.Touch(parent);
        parent.Waits.Remove(wait);
        if (child.State == InstanceState.Completed)
        {
            GoOn(parent, wait, child.Output);
            return;
        }

        var error = child.Error is { } failed
            ? $"Sub-workflow '{child.Definition.Name}' ({child.Id}) failed{(failed.Step is null ? "" : $" at step '{failed.Step}'")}: "
                + $"{failed.Message}"
            : $"Sub-workflow '{child.Definition.Name}' ({child.Id}) was cancelled.";
        GoOn(parent, wait, Value.Null, new InstanceError(error, wait.Step, Code: child.Error?.Code));
    }

    /// <summary>One of several elements has ended: the next one is called, or the step is over.</summary>
    private void EndElement(LiveInstance instance, Wait element, Value output, InstanceError? error)
    {
        if (!_interpreter.Elements.IsOverWith(instance, element, output, ref error, out var own))
        {
            if (_interpreter.TakeFailure() is not { } failure)
            {
                Rest(instance);
            }
            else if (!TryCatch(instance, element.Scope, failure))
            {
                Fail(instance, failure.Error);
            }

            return;
        }

        var step = (CallEachStep)instance.Definition.Steps[own.Step];
        instance.Waits.Remove(own);
        if (error is not null)
        {
            TakeErrorWay(instance, own, step, "callFailed", error);
        }
        else
        {
            Resume(instance, own, "returned", step.Next, ElementCalls.Result(instance, step, own.Input));
        }
    }

    private static Dictionary<string, Value> VariablesOf(Value input) =>
        input.IsNull ? new(StringComparer.Ordinal) : new(input.AsContext(), StringComparer.Ordinal);
}
