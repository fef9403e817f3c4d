using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>
/// Where a server runs, and what can be done to it there. Disposing ends a server that was started here.
/// </summary>
public abstract class ServerHost : IAsyncDisposable
{
    /// <summary>Where the server comes from; never <see cref="ProvisionMode.Auto"/>.</summary>
    public abstract ProvisionMode Provision { get; }

    /// <summary>The server for people, without a secret: origin, host, port.</summary>
    public abstract string Description { get; }

    /// <summary>
    /// The main process while the server runs and is in reach of this machine's process table, else null.
    /// </summary>
    public virtual int? ProcessId => null;

    /// <summary>The private directory of an installed program: settings, log, data; null elsewhere.</summary>
    public virtual string? DirectoryPath => null;

    /// <summary>
    /// The container that it runs in. Null (the default) if it runs elsewhere, or was not started here.
    /// </summary>
    public virtual IServerContainer? Container => null;

    /// <summary>The last lines of the server's log, or why they are not available.</summary>
    public abstract Task<string> ReadLogTailAsync(CancellationToken cancellationToken);

    /// <summary>Ends the server as <c>kill -9</c> does, and waits until it is gone.</summary>
    /// <exception cref="BackendException">It does not run, or is not ours.</exception>
    public virtual Task KillAsync(CancellationToken cancellationToken) => throw NotOurs();

    /// <summary>Starts a killed server again, on the same port and data.</summary>
    /// <exception cref="BackendException">It runs, does not come up, or is not ours.</exception>
    public virtual Task StartAgainAsync(CancellationToken cancellationToken) => throw NotOurs();

    /// <summary>Makes the server stop answering without closing a connection.</summary>
    /// <exception cref="BackendException">It does not run, or is not ours.</exception>
    public virtual Task PauseAsync(CancellationToken cancellationToken) => throw NotOurs();

    /// <summary>Ends <see cref="PauseAsync"/>.</summary>
    /// <exception cref="BackendException">It does not run, or is not ours.</exception>
    public virtual Task ContinueAsync(CancellationToken cancellationToken) => throw NotOurs();

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    private BackendException NotOurs() => new($"{Description} was not started by the tests, so the tests do not stop "
        + $"or restart it.");
}
