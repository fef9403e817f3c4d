using PerformanceTesting.Backends.PostgreSql;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.Stores.PostgreSql;

namespace PerformanceTesting.Subjects;

/// <summary>
/// Looks for what must not be there while the engine is idle: instances without a reason to wait, signals and messages that lie beside the
/// one they are for, subscriptions of nobody. It asks the database itself where there is one, and what the engine shows of its instances
/// elsewhere.
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

    /// <summary>Asks a PostgreSQL database.</summary>
    /// <returns>How many rows break each rule.</returns>
    public static Task<IReadOnlyDictionary<string, long>> CountAsync(PostgresStoreOptions options, CancellationToken cancellationToken) =>
        PostgresAudit.CountAsync(options, cancellationToken);

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
                instance.State != InstanceState.Suspended && !(instance.Waits.Count > 0 && instance.Waits.All(CanCome))),
            [OrphanChildren] = live.Count(instance => instance.ParentId is { } parent && !waits.Contains(("call", parent, instance.Id))),
            [OrphanTasks] = tasks.Count(task => !waits.Contains(("task", task.InstanceId, task.Id))),
        };

        // No activity runs while the engine is idle, so one is awaited only until it is called again.
        bool CanCome(InstanceWait wait) =>
            !((wait.NextAttemptAt ?? wait.DueAt) <= now - OnItsWay) && (wait.Kind switch { "activity" =>
                (wait.NextAttemptAt ?? wait.DueAt) is not null, "call" => ids.Contains(wait.Id!.Value), _ => true });
    }
}
