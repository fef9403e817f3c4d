using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>
/// A server of any kind, shared by the tests of one process. What an implementer must keep: no secret in <see cref="Description"/>, and nothing
/// left behind by <see cref="DisposeAsync"/> or by the end of this process.
/// </summary>
public abstract class BackendServer : IAsyncDisposable
{
    /// <summary>What it is.</summary>
    public abstract ServerKind Kind { get; }

    /// <summary>How the server was had; never <see cref="ProvisionMode.Auto"/>.</summary>
    public abstract ProvisionMode Provision { get; }

    /// <summary>The server in words, without a secret: origin, host, port.</summary>
    public abstract string Description { get; }

    /// <summary>How a client reaches it, in the words of its driver, password included.</summary>
    public abstract string ConnectionString { get; }

    /// <summary>The last lines of the server's log, or why they cannot be had.</summary>
    public abstract string LogTail { get; }

    /// <summary>The main process while the server runs and is in reach of this machine's process table, else null.</summary>
    public virtual int? ProcessId => null;

    /// <summary>The container that it runs in, for its account of processor and memory and for faults; null when it runs in none of ours.</summary>
    public virtual IServerContainer? Container => null;

    /// <summary>Version and settings as the server itself says them, with the durability class.</summary>
    public abstract Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken);

    public abstract ValueTask DisposeAsync();
}
