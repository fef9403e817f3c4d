namespace Workflow.Engine.Tasks;

/// <summary>Tasks: a wait of the instance, whose name is the assignee, and a row for lists, written in the same commits.</summary>
internal sealed class TaskHandler : WaitHandler
{
    private readonly LaneContext _lane;

    /// <summary>Open tasks, and the instance that waits for each.</summary>
    private readonly Dictionary<Guid, Guid> _open = [];

    public TaskHandler(InstanceHandler instances, LaneContext lane)
        : base(instances)
    {
        _lane = lane;
        instances.Waits[WaitKind.Task] = this;
    }

    public int Count => _open.Count;

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) => Begin(instance, (TaskStep)step, scope);

    public override void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error) => Instances.Tokens.GoOn(
        instance, wait, (TaskStep)instance.Definition.Steps[wait.Step], value, "taskCompleted", wait.Name);

    public override void End(LiveInstance instance, Wait wait, TaskState state) => Close(wait, state, output: null);

    public override void Restore(LiveInstance instance, Wait wait) => _open.Add(wait.Id, instance.Id);

    public override void Remove(LiveInstance instance, Wait wait) => _open.Remove(wait.Id);

    /// <returns>Null when the task is not open here.</returns>
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

        _lane.Batch.Touch(instance);
        instance.Waits[instance.Waits.IndexOf(wait)] = wait with { Name = assignee };
        _lane.Batch.ChangeTask(new(taskId, TaskState.Open, assignee, Output: null, _lane.Now));
        InstanceHistory.Append(instance, _lane.Now, "assigned", wait.Step, assignee);
        Instances.Tokens.Rest(instance);
        return new(taskId, instance.Id, TaskState.Open, assignee, Duplicate: false);
    }

    /// <returns>Null when the task is not open here.</returns>
    public TaskAccepted? Complete(Guid taskId, Value output)
    {
        if (Find(taskId) is not var (instance, wait))
        {
            return null;
        }

        Instances.Tokens.Take(instance, wait);
        Close(wait, TaskState.Completed, output.IsNull ? null : output.ToString());
        _lane.Raise(instance.Trace, (id, stamps) => new TaskCompleted
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
        Instances.Tokens.GoOn(instance, wait, output);
        return new(taskId, instance.Id, TaskState.Completed, wait.Name, Duplicate: false);
    }

    private void Begin(LiveInstance instance, TaskStep step, int scope)
    {
        var steps = Instances.Steps;
        if (!steps.TryEvaluate(instance, step.Id, step.Assignee, out var assignee)
            || !steps.TryEvaluate(instance, step.Id, step.Groups, out var named)
            || !steps.TryRest(instance, step, named))
        {
            return;
        }

        if (!assignee.IsNull && StepValues.NameOf(assignee) is null)
        {
            steps.Fail(StepValues.BadName(instance, step.Id, "assignee", step.Assignee!, assignee, assignee));
            return;
        }

        string?[] groups = [];
        if (step.Groups is not null)
        {
            // Texts that are too long together are null, as every list over the limit is.
            var names = named.Kind == ValueKind.List ? named.AsList() : [Value.Null];
            groups = [.. names.Select(StepValues.NameOf).Distinct(StringComparer.Ordinal)];
            if (groups.Contains(null))
            {
                var bad = names.First(name => StepValues.NameOf(name) is null);
                steps.Fail(StepValues.BadName(instance, step.Id, "groups", step.Groups, named, bad));
                return;
            }
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Task, scope) with
        {
            Id = Instances.NewId(instance.Partition),
            Name = StepValues.NameOf(assignee),
            DueUtc = step.Timeout is { } timeout ? _lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, _lane.Now, "waiting", step.Id, wait.Name);
        Open(instance, wait, groups!);
    }

    private void Open(LiveInstance instance, Wait wait, IReadOnlyList<string> groups)
    {
        Instances.BeginWait(instance, wait);
        _open.Add(wait.Id, instance.Id);
        _lane.Batch.AddTask(new()
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
            CreatedUtc = _lane.Now,
            UpdatedUtc = _lane.Now,
            DueUtc = wait.DueUtc,
        });
        _lane.Raise(instance.Trace, (id, stamps) => new TaskCreated
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

    private (LiveInstance Instance, Wait Wait)? Find(Guid taskId) =>
        _open.TryGetValue(taskId, out var owner) && Instances.Live[owner] is var instance
            ? (instance, instance.FindWait(taskId)!)
            : null;

    private void Close(Wait wait, TaskState state, string? output)
    {
        _open.Remove(wait.Id);
        _lane.Batch.ChangeTask(new TaskChange(wait.Id, state, wait.Name, output, _lane.Now));
    }
}
