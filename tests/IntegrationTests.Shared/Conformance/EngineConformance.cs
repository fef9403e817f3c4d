using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Shared by all suites of the engine: new content for each test, engines over it, and keys.</summary>
/// <typeparam name="TStores">The store under test.</typeparam>
public abstract class EngineConformance<TStores>(TStores stores) : IClassFixture<TStores>, IAsyncLifetime
    where TStores : StoreFixture
{
    private readonly List<IAsyncDisposable> _sessions = [];
    private Func<IWorkflowStore>? _open;

    /// <summary>Opens the test's content once more.</summary>
    protected Func<IWorkflowStore> Open =>
        _open ?? throw new InvalidOperationException("The test has not been initialised.");

    protected TStores Stores { get; } = stores;

    public async ValueTask InitializeAsync() => _open = await Stores.CreateAsync(Cancel);

    public async ValueTask DisposeAsync()
    {
        foreach (var session in _sessions)
        {
            await session.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Starts an engine; it is disposed with the test, or earlier by the test.</summary>
    protected Task<EngineSession> EngineAsync(int lanes = 1, TimeProvider? time = null) =>
        EngineAsync(new WorkflowEngineOptions { Lanes = lanes }, time);

    protected async Task<EngineSession> EngineAsync(
        WorkflowEngineOptions options, TimeProvider? time = null, IWorkflowStore? store = null,
        EventPosition? after = null)
    {
        options = Stores.Residency is { } residency ? options with { Residency = residency } : options;
        var session = await EngineSession.StartAsync(store ?? Open(), options, time, after);
        _sessions.Add(session);
        return session;
    }

    /// <summary>A key that lives in the partition.</summary>
    protected static string KeyIn(int partition, string prefix = "k")
    {
        for (var i = 0; ; i++)
        {
            var key = $"{prefix}{i}";
            if (Partitioning.OfKey(key) == partition)
            {
                return key;
            }
        }
    }
}
