using Payments.Service.Configuration;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Memory;

namespace PerformanceTests.Calibration;

/// <summary>All that a backend needs: a name, what it says of itself, and databases with a store.</summary>
internal sealed class MadeUpBackend : Backend
{
    public override string Name => "made-up";

    public override IReadOnlyList<ServerProvider> Servers => [];

    public override Task<BackendInfo> DescribeAsync(ServerSet servers, CancellationToken cancellationToken) =>
        Task.FromResult(new BackendInfo { Product = "made up", Durability = "not durable: made up", Provision = "embedded" });

    public override Task<CeilingsResult> MeasureCeilingsAsync(ServerSet servers, CancellationToken cancellationToken) =>
        Task.FromResult(new CeilingsResult());

    public override Task<BackendDatabase> CreateDatabaseAsync(ServerSet servers, string purpose, CancellationToken cancellationToken) =>
        Task.FromResult<BackendDatabase>(new MadeUpDatabase());
}

internal sealed class MadeUpDatabase : BackendDatabase
{
    public override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
        new Dictionary<string, string> { ["WorkflowBackend:Provider"] = "Memory" };

    public override PaymentSettings PaymentSettings { get; } = new();

    public override IWorkflowStore CreateStore() => new InMemoryStore();

    public override IReadOnlyList<IRunObserver> Observe(
        ObservationOptions options) => [new CountersObserver(_ => Task.FromResult<ICollector>(new MadeUpCounters()))];
}

internal sealed class MadeUpCounters : ICollector
{
    public Task<CollectedCounters> StopAsync(CancellationToken cancellationToken) =>
        Task.FromResult(new CollectedCounters(new Dictionary<string, double> { ["made.up"] = 1_234 }, [], Statements: null, []));

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
