using Payments.Service.Configuration;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Engine.InMemory;

namespace PerformanceTesting.Backends.Memory;

/// <summary>The store in this process's memory: nothing survives it.</summary>
internal sealed class MemoryBackend : Backend
{
    public override string Name => "memory";
    public override IReadOnlyList<ServerProvider> Servers => [];
    public override bool KeepsAllInMemory => true;

    public override Task<BackendInfo> DescribeAsync(CancellationToken cancellationToken) =>
        Task.FromResult(
            new BackendInfo { Product = "memory", Durability = "not durable: memory", Provision = "embedded" });

    public override Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken) => Task.FromResult(
        new CeilingsResult
            { Notes = ["fsync, commits and round trip are null: memory commits nothing and has no server to ask."] });

    public override Task<BackendDatabase> CreateDatabaseAsync(string purpose, CancellationToken cancellationToken) =>
        Task.FromResult<BackendDatabase>(new MemoryDatabase());

    private sealed class MemoryDatabase : BackendDatabase
    {
        public override IReadOnlyDictionary<string, string> ServiceSettings { get; } = new Dictionary<string, string>
        {
            ["WorkflowBackend:Provider"] = "Memory",
            ["WorkflowSignalDriver:Provider"] = "Native",
        };

        public override PaymentSettings PaymentSettings { get; } = new();

        private readonly List<InMemoryStore> _stores = [];

        public override IWorkflowStore CreateStore()
        {
            var store = new InMemoryStore();
            _stores.Add(store);
            return store;
        }

        /// <summary>Only a store in this process is in reach; a web service has its own.</summary>
        public override async Task<InstanceCounts?> CountInstancesAsync(CancellationToken cancellationToken)
        {
            if (_stores.Count == 0)
            {
                return null;
            }

            var counts = new Dictionary<InstanceState, long>();
            foreach (var store in _stores)
            {
                var rows = await store.ListInstancesAsync(new() { Limit = int.MaxValue }, cancellationToken);
                foreach (var state in rows.CountBy(row => row.State))
                {
                    counts[state.Key] = counts.GetValueOrDefault(state.Key) + state.Value;
                }
            }

            return InstanceCounts.Of(counts);
        }
    }
}
