using Workflow.Abstractions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Instances;

namespace Workflow.Engine.Lanes;

/// <content>Tasks: a wait of the instance, whose name is the assignee, and a row for lists, written in the same commits.</content>
internal sealed partial class LaneExecutor
{
    public void BeginTask(LiveInstance instance, Wait wait, IReadOnlyList<string> groups)
    {
        BeginTimer(instance, wait);
        State.Tasks.Add(wait.Id, instance.Id);
        Batch.AddTask(new()
        {
            Id = wait.Id,
            Partition = instance.Partition,
            InstanceId = instance.Id,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            Step = wait.Step,
            State = TaskState.Open,
            Assignee = wait.Name,
            Groups = groups,
            CreatedUtc = _now,
            UpdatedUtc = _now,
            DueUtc = wait.DueUtc,
        });
        Raise(instance.Trace, (id, stamps) => new TaskCreated
        {
            Id = id,
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            TaskId = wait.Id,
            Step = wait.Step,
            Assignee = wait.Name,
            Groups = groups,
            DueAt = wait.DueUtc,
            Timestamps = stamps,
        });
    }

    /// <returns>Null when the task is not open here.</returns>
    public TaskAccepted? AssignTask(Guid taskId, string assignee)
    {
        if (FindTask(taskId) is not var (instance, wait))
        {
            return null;
        }

        if (wait.Name == assignee)
        {
            return new(taskId, instance.Id, TaskState.Open, assignee, Duplicate: true);
        }

        Batch.Touch(instance);
        instance.Waits[instance.Waits.IndexOf(wait)] = wait with { Name = assignee };
        Batch.ChangeTask(new(taskId, TaskState.Open, assignee, Output: null, _now));
        InstanceHistory.Append(instance, _now, "assigned", wait.Step, assignee);
        Rest(instance);
        return new(taskId, instance.Id, TaskState.Open, assignee, Duplicate: false);
    }

    /// <returns>Null when the task is not open here.</returns>
    public TaskAccepted? CompleteTask(Guid taskId, Value output)
    {
        if (FindTask(taskId) is not var (instance, wait))
        {
            return null;
        }

        Batch.Touch(instance);
        instance.Waits.Remove(wait);
        CloseTask(wait, TaskState.Completed, output.IsNull ? null : output.ToString());
        Raise(instance.Trace, (id, stamps) => new TaskCompleted
        {
            Id = id,
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            TaskId = taskId,
            Step = wait.Step,
            Assignee = wait.Name,
            Output = output.IsNull ? null : output.ToJsonElement(),
            Timestamps = stamps,
        });
        GoOn(instance, wait, output);
        return new(taskId, instance.Id, TaskState.Completed, wait.Name, Duplicate: false);
    }

    private (LiveInstance Instance, Wait Wait)? FindTask(Guid taskId) =>
        State.Tasks.TryGetValue(taskId, out var owner) && State.Instances[owner] is var instance
            ? (instance, instance.FindWait(taskId)!)
            : null;

    private void CloseTask(Wait wait, TaskState state, string? output)
    {
        State.Tasks.Remove(wait.Id);
        Batch.ChangeTask(new TaskChange(wait.Id, state, wait.Name, output, _now));
    }
}
