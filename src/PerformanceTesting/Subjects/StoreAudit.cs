using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace PerformanceTesting.Subjects;

/// <summary>
/// Looks for instances and tasks that must not be there while the engine is idle, in what the engine shows. For
/// PostgreSQL,
/// <c>PostgresAudit</c> asks the database itself.
/// </summary>
public static class StoreAudit
{
    /// <summary>Live instances that wait for nothing that can still come.</summary>
    public const string UnexplainedInstances = "unexplainedInstances";

    /// <summary>Live sub-workflows that no live parent waits for.</summary>
    public const string OrphanChildren = "orphanChildren";

    /// <summary>Open tasks that no live instance waits for.</summary>
    public const string OrphanTasks = "orphanTasks";

    private static readonly TimeSpan OnItsWay = TimeSpan.FromSeconds(1);

    /// <summary>Judges the live instances and the open tasks that an idle engine shows.</summary>
    /// <returns>How many break each rule that can be judged from there.</returns>
    public static IReadOnlyDictionary<string, long> Count(
        IReadOnlyList<InstanceView> live, IReadOnlyList<TaskView> tasks, DateTimeOffset now)
    {
        var ids = live.Select(instance => instance.Id).ToHashSet();
        var waits = live.SelectMany(instance => instance.Waits.Where(wait => wait.Id is not null)
            .Select(wait => (wait.Kind, Instance: instance.Id, wait.Id!.Value))).ToHashSet();
        return new Dictionary<string, long>
        {
            [UnexplainedInstances] = live.Count(instance =>
                instance.State != InstanceState.Suspended
                    && !(instance.Waits.Count > 0 && instance.Waits.All(CanCome))),
            [OrphanChildren] = live.Count(
                instance => instance.ParentId is { } parent && !waits.Contains(("call", parent, instance.Id))),
            [OrphanTasks] = tasks.Count(task => !waits.Contains(("task", task.InstanceId, task.Id))),
        };

        // No activity runs while the engine is idle, so one is awaited only until it is called again.
        bool CanCome(InstanceWait wait) =>
            !((wait.NextAttemptAt ?? wait.DueAt) <= now - OnItsWay) && (wait.Kind switch { "activity" =>
                (wait.NextAttemptAt ?? wait.DueAt) is not null, "call" => ids.Contains(wait.Id!.Value), _ => true });
    }
}
