using PerformanceTesting.Backends;
using Workflow.Contracts.Instances;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What the store holds after the load: instances by state, and what must not be there because it was lost, doubled or
/// left behind. Place it first among the observers: what stops last looks when nothing else is measured any more.
/// </summary>
/// <param name="subject">The service.</param>
/// <param name="database">What it lives on; null where only the service can be asked.</param>
public sealed class StoreAuditObserver(WorkflowSubject subject, BackendDatabase? database) : IRunObserver
{
    private InstanceCounts? _before;
    private IReadOnlyDictionary<string, long>? _broken;

    /// <summary>What the store has gained over the load.</summary>
    public InstanceCounts? Stored { get; private set; }

    /// <summary>
    /// The instances that the service shows, once it is idle: those of them that no other called, and that are not
    /// over.
    /// </summary>
    public IReadOnlyList<InstanceView> Live { get; private set; } = [];

    public async Task StartAsync(CancellationToken cancellationToken) => _before = await CountAsync(cancellationToken);

    /// <summary>Asks the database itself where it can be asked, else judges by what the engine shows.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        Stored = (await CountAsync(cancellationToken)).Since(_before!);
        var live = await subject.ListLiveAsync(cancellationToken);
        Live = [.. live.Where(instance => instance.ParentId is null)];
        _broken = (database is null ? null : await database.AuditAsync(cancellationToken)) ?? StoreAudit.Count(
            live, await subject.ListOpenTasksAsync(cancellationToken), TimeProvider.System.GetUtcNow());
    }

    public void AddTo(RunEvidence evidence) => evidence.Checks.AddRange(ConservationChecks.OfStore(_broken!));

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task<InstanceCounts> CountAsync(CancellationToken cancellationToken) =>
        (database is null ? null : await database.CountInstancesAsync(cancellationToken))
        ?? await subject.CountInstancesAsync(cancellationToken);
}
