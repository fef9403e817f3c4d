using Payments.Service.Configuration;
using Workflow.Abstractions.Stores;
using Workflow.Engine.InMemory;

namespace PerformanceTests.Calibration;

internal sealed class MadeUpDatabase : BackendDatabase
{
    public override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
        new Dictionary<string, string> { ["WorkflowBackend:Provider"] = "Memory" };

    public override PaymentSettings PaymentSettings { get; } = new();

    public override IWorkflowStore CreateStore() => new InMemoryStore();

    public override IReadOnlyList<IRunObserver> Observe(bool waitForReports = false) =>
        [new CountersObserver(_ => Task.FromResult<ICollector>(new MadeUpCounters()))];
}
