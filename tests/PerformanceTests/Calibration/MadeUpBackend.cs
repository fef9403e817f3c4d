namespace PerformanceTests.Calibration;

/// <summary>All that a backend needs: a name, what it says of itself, and databases with a store.</summary>
internal sealed class MadeUpBackend : Backend
{
    public override string Name => "made-up";

    public override IReadOnlyList<ServerProvider> Servers => [];

    public override Task<BackendInfo> DescribeAsync(CancellationToken cancellationToken) =>
        Task.FromResult(
            new BackendInfo { Product = "made up", Durability = "not durable: made up", Provision = "embedded" });

    public override Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken) =>
        Task.FromResult(new CeilingsResult());

    public override Task<BackendDatabase> CreateDatabaseAsync(string purpose, CancellationToken cancellationToken) =>
        Task.FromResult<BackendDatabase>(new MadeUpDatabase());
}

internal sealed class MadeUpCounters : ICollector
{
    public Task<CollectedCounters> StopAsync(CancellationToken cancellationToken) =>
        Task.FromResult(
            new CollectedCounters(new Dictionary<string, double> { ["made.up"] = 1_234 }, [], Statements: null, []));

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
