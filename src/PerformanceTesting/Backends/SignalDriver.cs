namespace PerformanceTesting.Backends;

/// <summary>Notifies the nodes of a profile. A lost notification loses no work.</summary>
public abstract class SignalDriver
{
    /// <summary>The store's own notifications: <c>LISTEN</c>, Advanced Queueing, change streams.</summary>
    public static SignalDriver Native { get; } = new StoresOwn();

    /// <summary>The servers it needs besides the store's.</summary>
    public virtual IReadOnlyList<ServerProvider> Servers => [];

    /// <summary>Adds what it says of its server to the description of a profile.</summary>
    public virtual Task<BackendInfo> DescribeAsync(
        BackendInfo store, Backend backend, CancellationToken cancellationToken) =>
        Task.FromResult(store);

    /// <summary>Opens a channel for the nodes of one system under test.</summary>
    public abstract SignalChannel Open(Backend backend);

    private sealed class StoresOwn : SignalDriver
    {
        public override SignalChannel Open(Backend backend) => new OfStore();
    }

    private sealed class OfStore : SignalChannel
    {
        public override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
            new Dictionary<string, string> { [ProviderKey] = "Native" };
    }
}
