using LoadTesting.Core.Load.Watches;
using Payments.Service.Configuration;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends;

/// <summary>The database, or memory, of one system under test. Disposing drops it; stop the system first.</summary>
public abstract class BackendDatabase : IAsyncDisposable
{
    /// <summary>How the store connects, password included; null for memory.</summary>
    public virtual string? ConnectionString => null;

    /// <summary>
    /// Settings of a web service on this database, by their keys with colons, e.g. <c>WorkflowBackend:Provider</c>.
    /// </summary>
    public abstract IReadOnlyDictionary<string, string> ServiceSettings { get; }

    /// <summary>
    /// Settings of the payment service on this database. Null (the default) if it has no store for it.
    /// </summary>
    public virtual PaymentSettings? PaymentSettings => null;

    /// <summary>The reason why <see cref="PaymentSettings"/> is null; null if they are not.</summary>
    public virtual string? PaymentsUnsupportedReason =>
        PaymentSettings is null ? "The payment service keeps payments in memory or in PostgreSQL." : null;

    /// <summary>
    /// The database server, whose processes or container are watched. Null (the default) if there is no server.
    /// </summary>
    public virtual BackendServer? Server => null;

    /// <summary>Resources of the server that must not grow under an even load.</summary>
    public virtual IReadOnlyList<LeakProbe> LeakProbes => [];

    /// <summary>Notes for readers of a result on this backend.</summary>
    public virtual IReadOnlyList<string> Notes => [];

    /// <summary>A store of one engine in this database; the engine disposes of it.</summary>
    public abstract IWorkflowStore CreateStore();

    /// <summary>
    /// Creates the notifier of the other nodes of an engine. Null (the default) if the store needs none.
    /// </summary>
    public virtual INotifier? CreateNotifier(int lanes) => null;

    /// <summary>
    /// The observers of the servers during a run: counters and waits. Empty if there is nothing to count.
    /// </summary>
    /// <param name="waitForReports">
    /// Whether to wait for counters that the server reports late, up to 11 s before and after the load.
    /// </param>
    public virtual IReadOnlyList<IRunObserver> Observe(bool waitForReports = false) => [];

    /// <summary>Counts the instances that the store holds, by state, without asking the service.</summary>
    /// <returns>Null if the store is out of reach; the lists of the service are then read instead.</returns>
    public virtual Task<InstanceCounts?> CountInstancesAsync(CancellationToken cancellationToken) =>
        Task.FromResult<InstanceCounts?>(null);

    /// <summary>
    /// Asks the database itself, while the engine is idle, how many rows break each rule of conservation.
    /// </summary>
    /// <returns>Null if the database has no such query; only the engine's own lists are then judged.</returns>
    public virtual Task<IReadOnlyDictionary<string, long>?> AuditAsync(CancellationToken cancellationToken) =>
        Task.FromResult<IReadOnlyDictionary<string, long>?>(null);

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
