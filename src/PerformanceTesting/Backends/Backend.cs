using LoadTesting.Core.Load.Watches;
using Payments.Service.Configuration;
using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;

namespace PerformanceTesting.Backends;

/// <summary>
/// One profile: a store together with what notifies its nodes. <see cref="BackendCatalog"/> finds it by its name, and whoever runs a
/// scenario asks it for everything that differs between backends. To add one, derive from this class with a constructor that needs no
/// arguments.
/// </summary>
public abstract class Backend
{
    /// <summary>The profile's name as in <c>WORKFLOW_PERF_PROFILES</c>, reports and files; prefix of every scenario's full name.</summary>
    public abstract string Name { get; }

    /// <summary>The servers it needs, the store's first; none for what lives in the test process.</summary>
    public abstract IReadOnlyList<ServerProvider> Servers { get; }

    /// <summary>Whether this process keeps every finished instance in memory, so that a long soak would only measure that.</summary>
    public virtual bool KeepsAllInMemory => false;

    /// <summary>Product, version, durability and settings, read back from the servers.</summary>
    /// <exception cref="BackendException">A server cannot be reached.</exception>
    public abstract Task<BackendInfo> DescribeAsync(ServerSet servers, CancellationToken cancellationToken);

    /// <summary>What lies below any system on these servers; takes some seconds.</summary>
    public abstract Task<CeilingsResult> MeasureCeilingsAsync(ServerSet servers, CancellationToken cancellationToken);

    /// <summary>Creates an empty database for one system under test.</summary>
    /// <param name="servers">The started <see cref="Servers"/>.</param>
    /// <param name="purpose">Readable part of the database's name; equal ones do not clash.</param>
    /// <exception cref="BackendException">The server refuses.</exception>
    public abstract Task<BackendDatabase> CreateDatabaseAsync(ServerSet servers, string purpose, CancellationToken cancellationToken);
}

/// <summary>What one system under test lives on: a database of its own, or memory. Disposing drops it; stop the system first.</summary>
public abstract class BackendDatabase : IAsyncDisposable
{
    /// <summary>How the store connects, password included; null for memory.</summary>
    public virtual string? ConnectionString => null;

    /// <summary>Settings of a web service on this database, by their keys with colons, e.g. <c>WorkflowBackend:Provider</c>.</summary>
    public abstract IReadOnlyDictionary<string, string> ServiceSettings { get; }

    /// <summary>Settings of the payment service on this database; null where it has no store for it.</summary>
    public virtual PaymentSettings? PaymentSettings => null;

    /// <summary>Why <see cref="PaymentSettings"/> is null; null where it is not.</summary>
    public virtual string? WhyNoPayments =>
        PaymentSettings is null ? "The payment service keeps payments in memory or in PostgreSQL." : null;

    /// <summary>The server's processes or container; null when there is no server.</summary>
    public virtual ServerUnderWatch? Watched => null;

    /// <summary>Resources of the server that must not grow under an even load.</summary>
    public virtual IReadOnlyList<LeakProbe> LeakProbes => [];

    /// <summary>What a reader of a result on this backend has to keep in mind.</summary>
    public virtual IReadOnlyList<string> Notes => [];

    /// <summary>A store of one engine in this database; the engine disposes of it.</summary>
    public abstract IWorkflowStore CreateStore();

    /// <summary>What notifies the other nodes of an engine with so many lanes; null where the store needs none.</summary>
    public virtual INotifier? CreateNotifier(int lanes) => null;

    /// <summary>What watches the servers during a run: counters and waits. None where there is nothing to count.</summary>
    public virtual IReadOnlyList<IRunObserver> Observe(ObservationOptions options) => [];

    /// <summary>Counts the instances that the store holds, by state, without asking the service.</summary>
    /// <returns>Null where the store is not in reach; the service's lists are then read instead.</returns>
    public virtual Task<InstanceCounts?> CountInstancesAsync(CancellationToken cancellationToken) =>
        Task.FromResult<InstanceCounts?>(null);

    /// <summary>Asks the database itself, while the engine is idle, how many rows break each rule of conservation.</summary>
    /// <returns>Null where the database is not asked, and only what the engine shows can be judged.</returns>
    public virtual Task<IReadOnlyDictionary<string, long>?> AuditAsync(CancellationToken cancellationToken) =>
        Task.FromResult<IReadOnlyDictionary<string, long>?>(null);

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}

/// <summary>Instances by state, those that others called included.</summary>
public sealed record InstanceCounts(long Running, long Waiting, long Suspended, long Completed, long Failed, long Cancelled)
{
    /// <summary>Instances that are not over.</summary>
    public long Live => Running + Waiting + Suspended;

    public long Started => Live + Completed + Failed + Cancelled;

    /// <summary>Counts by state; a state without instances may be missing.</summary>
    public static InstanceCounts Of(IReadOnlyDictionary<InstanceState, long> counts) => new(
        counts.GetValueOrDefault(InstanceState.Running), counts.GetValueOrDefault(InstanceState.Waiting),
        counts.GetValueOrDefault(InstanceState.Suspended), counts.GetValueOrDefault(InstanceState.Completed),
        counts.GetValueOrDefault(InstanceState.Failed), counts.GetValueOrDefault(InstanceState.Cancelled));

    /// <summary>What came in addition to <paramref name="earlier"/>, state by state.</summary>
    public InstanceCounts Since(InstanceCounts earlier) => new(
        Running - earlier.Running, Waiting - earlier.Waiting, Suspended - earlier.Suspended, Completed - earlier.Completed,
        Failed - earlier.Failed, Cancelled - earlier.Cancelled);
}

/// <summary>How a run is observed.</summary>
public sealed record ObservationOptions
{
    /// <summary>Whether to wait for counters that the server reports late, up to 11 s before and after the load. Default false.</summary>
    public bool WaitForReports { get; init; }
}

/// <summary>A database server whose processor time and memory are watched.</summary>
/// <param name="ProcessId">Its main process, watched with its children; null when it is not in reach.</param>
/// <param name="Container">The container it runs in; null when it runs in none of ours.</param>
/// <param name="WhyNot">Why neither is there; null when one is.</param>
public sealed record ServerUnderWatch(int? ProcessId, IServerContainer? Container, string? WhyNot)
{
    /// <summary>What is in reach of a server.</summary>
    public static ServerUnderWatch Of(BackendServer server) => new(
        server.ProcessId,
        server.Container,
        server.ProcessId is null && server.Container is null
            ? "The database server is an external one: its processes are not in reach."
            : null);
}

/// <summary>The started servers of a backend.</summary>
public sealed class ServerSet(IReadOnlyList<BackendServer> servers)
{
    /// <summary>The server of a type.</summary>
    /// <exception cref="InvalidOperationException">The backend did not list it in <see cref="Backend.Servers"/>.</exception>
    public TServer Get<TServer>()
        where TServer : BackendServer =>
        servers.OfType<TServer>().FirstOrDefault()
        ?? throw new InvalidOperationException(
            $"No {typeof(TServer).Name} was started: {nameof(Backend)}.{nameof(Backend.Servers)} has to list it.");
}

/// <summary>A backend whose servers run.</summary>
public sealed class RunningBackend(Backend backend, ServerSet servers)
{
    public Backend Backend => backend;

    public Task<BackendInfo> DescribeAsync(CancellationToken cancellationToken) => backend.DescribeAsync(servers, cancellationToken);

    public Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken) =>
        backend.MeasureCeilingsAsync(servers, cancellationToken);

    public Task<BackendDatabase> CreateDatabaseAsync(string purpose, CancellationToken cancellationToken) =>
        backend.CreateDatabaseAsync(servers, purpose, cancellationToken);
}
