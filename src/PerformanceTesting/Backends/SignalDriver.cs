using Workflow.Abstractions.Notifications;

namespace PerformanceTesting.Backends;

/// <summary>What notifies the nodes of a profile. It owns no correctness: losing a notification loses no work.</summary>
public abstract class SignalDriver
{
    /// <summary>The store's own notifications.</summary>
    public static SignalDriver Native { get; } = new StoresOwn();

    /// <summary>The servers it needs besides the store's.</summary>
    public virtual IReadOnlyList<ServerProvider> Servers => [];

    /// <summary>Adds what it says of its server to the description of a profile.</summary>
    public virtual Task<BackendInfo> DescribeAsync(BackendInfo store, ServerSet servers, CancellationToken cancellationToken) =>
        Task.FromResult(store);

    /// <summary>A channel of its own for the nodes of one system under test.</summary>
    public abstract SignalChannel Open(ServerSet servers);

    private sealed class StoresOwn : SignalDriver
    {
        public override SignalChannel Open(ServerSet servers) => new OfStore();
    }

    private sealed class OfStore : SignalChannel
    {
        public override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
            new Dictionary<string, string> { [ProviderKey] = "Native" };
    }
}

/// <summary>How the nodes of one system under test notify each other.</summary>
public abstract class SignalChannel
{
    /// <summary>Key of the setting that chooses a driver.</summary>
    protected const string ProviderKey = "WorkflowSignalDriver:Provider";

    /// <summary>Settings of a web service on this channel.</summary>
    public abstract IReadOnlyDictionary<string, string> ServiceSettings { get; }

    /// <summary>What a reader of a result has to keep in mind.</summary>
    public virtual IReadOnlyList<string> Notes => [];

    /// <summary>A notifier of one engine; null for the store's own way.</summary>
    public virtual INotifier? CreateNotifier() => null;

    /// <summary>What watches the server of the channel during a run.</summary>
    public virtual IReadOnlyList<IRunObserver> Observe() => [];
}
