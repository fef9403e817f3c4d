namespace Workflow.Engine.Tasks;

/// <summary>
/// Tasks. A task is a wait of its instance, whose name is the assignee, and a row for lists, written in the same
/// commits.
/// </summary>
internal sealed class TaskHandler(InstanceHandler instances, LaneState lane) : WaitHandler(instances)
{
    /// <summary>The open tasks and the instance that waits for each.</summary>
    private readonly Dictionary<Guid, Guid> _open = [];

    /// <summary>The number of open tasks in memory.</summary>
    public int Count => _open.Count;

    /// <summary>Whether the task is open, as far as memory knows.</summary>
    public bool IsOpen(Guid taskId) => _open.ContainsKey(taskId);

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        Begin(instance, (TaskStep)step, scope);

    public override void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error) =>
        Instances.Tokens.Continue(
            instance, wait, (TaskStep)instance.Definition.Steps[wait.Step], value, "taskCompleted", wait.Name);

    public override void End(LiveInstance instance, Wait wait, TaskState state) => Close(wait, state, output: null);

    public override void Restore(LiveInstance instance, Wait wait) => _open.Add(wait.Id, instance.Id);

    public override void Remove(LiveInstance instance, Wait wait) => _open.Remove(wait.Id);

    /// <returns>Null if the task is not open here.</returns>
    public TaskAccepted? Assign(Guid taskId, string assignee)
    {
        if (Find(taskId) is not var (instance, wait))
        {
            return null;
        }

        if (wait.Name == assignee)
        {
            return new(taskId, instance.Id, TaskState.Open, assignee, Duplicate: true);
        }

        lane.Batch.Touch(instance);
        instance.Waits[instance.Waits.IndexOf(wait)] = wait with { Name = assignee };
        lane.Batch.ChangeTask(new(taskId, TaskState.Open, assignee, Output: null, lane.Now));
        InstanceHistory.Append(instance, lane.Now, "assigned", wait.Step, assignee);
        Instances.Tokens.UpdateStateAtRest(instance);
        return new(taskId, instance.Id, TaskState.Open, assignee, Duplicate: false);
    }

    /// <returns>Null if the task is not open here.</returns>
    public TaskAccepted? Complete(Guid taskId, Value output)
    {
        if (Find(taskId) is not var (instance, wait))
        {
            return null;
        }

        Instances.Tokens.Take(instance, wait);
        Close(wait, TaskState.Completed, output.IsNull ? null : output.ToString());
        lane.Raise(instance.Trace, (id, stamps) => new TaskCompleted
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
        Instances.Tokens.Continue(instance, wait, output);
        return new(taskId, instance.Id, TaskState.Completed, wait.Name, Duplicate: false);
    }

    private void Begin(LiveInstance instance, TaskStep step, int scope)
    {
        var steps = Instances.Steps;
        if (!steps.TryEvaluate(instance, step.Id, step.Assignee, out var assignee)
            || !steps.TryEvaluate(instance, step.Id, step.Groups, out var named)
            || !steps.TryAddWait(instance, step, named))
        {
            return;
        }

        if (!assignee.IsNull && StepValues.NameOf(assignee) is null)
        {
            steps.Fail(StepValues.InvalidName(instance, step.Id, "assignee", step.Assignee!, assignee, assignee));
            return;
        }

        string?[] groups = [];
        if (step.Groups is not null)
        {
            // A list of texts that exceeds the limit evaluates to null, like every list over the limit.
            var names = named.Kind == ValueKind.List ? named.AsList() : [Value.Null];
            groups = [.. names.Select(StepValues.NameOf).Distinct(StringComparer.Ordinal)];
            if (groups.Contains(null))
            {
                var bad = names.First(name => StepValues.NameOf(name) is null);
                steps.Fail(StepValues.InvalidName(instance, step.Id, "groups", step.Groups, named, bad));
                return;
            }
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Task, scope) with
        {
            Id = Instances.NewId(instance.Partition),
            Name = StepValues.NameOf(assignee),
            DueUtc = step.Timeout is { } timeout ? lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, wait.Name);
        Open(instance, wait, groups!);
    }

    private void Open(LiveInstance instance, Wait wait, IReadOnlyList<string> groups)
    {
        Instances.BeginWait(instance, wait);
        _open.Add(wait.Id, instance.Id);
        lane.Batch.AddTask(new()
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
            CreatedUtc = lane.Now,
            UpdatedUtc = lane.Now,
            DueUtc = wait.DueUtc,
        });
        lane.Raise(instance.Trace, (id, stamps) => new TaskCreated
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

    private (LiveInstance Instance, Wait Wait)? Find(Guid taskId)
    {
        lane.Dormancy.RequireTask(taskId);
        return _open.TryGetValue(taskId, out var owner) && Instances.Residents.Find(owner) is { } instance
            ? (instance, instance.FindWait(taskId)!)
            : null;
    }

    private void Close(Wait wait, TaskState state, string? output)
    {
        _open.Remove(wait.Id);
        lane.Batch.ChangeTask(new TaskChange(wait.Id, state, wait.Name, output, lane.Now));
    }
}
