using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>Where a server runs, and what can be done to it there. Disposing ends a server that was started here.</summary>
public abstract class ServerHost : IAsyncDisposable
{
    /// <summary>Where the server comes from; never <see cref="ProvisionMode.Auto"/>.</summary>
    public abstract ProvisionMode Provision { get; }

    /// <summary>The server for people, without a secret: origin, host, port.</summary>
    public abstract string Description { get; }

    /// <summary>The main process while the server runs and is in reach of this machine's process table, else null.</summary>
    public virtual int? ProcessId => null;

    /// <summary>The private directory of an installed program: settings, log, data; null elsewhere.</summary>
    public virtual string? DirectoryPath => null;

    /// <summary>The container that it runs in, for its processor time, memory and faults; null when it is none of ours.</summary>
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

    private BackendException NotOurs() => new($"{Description} was not started here, so that it is left alone.");
}

/// <summary>A server that already runs, named by a connection string.</summary>
/// <param name="target">Host, port and user, without a secret.</param>
public sealed class ExternalHost(string target) : ServerHost
{
    public override ProvisionMode Provision => ProvisionMode.External;
    public override string Description => $"external server ({target})";

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) =>
        Task.FromResult("The log of an external server is not in reach.");
}

/// <summary>A server in a container that was started for the run.</summary>
public sealed class ContainerHost(ServerInContainer server) : ServerHost
{
    public override ProvisionMode Provision => ProvisionMode.Container;
    public override string Description => server.Description;
    public override int? ProcessId => server.ProcessId;
    public override IServerContainer Container => server.Container;

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) =>
        server.Container.ReadLogTailAsync(cancellationToken);

    public override Task KillAsync(CancellationToken cancellationToken) => server.KillAsync(cancellationToken);
    public override Task StartAgainAsync(CancellationToken cancellationToken) => server.StartAgainAsync(cancellationToken);
    public override Task PauseAsync(CancellationToken cancellationToken) => server.Container.PauseAsync(cancellationToken);
    public override Task ContinueAsync(CancellationToken cancellationToken) => server.Container.ResumeAsync(cancellationToken);
    public override ValueTask DisposeAsync() => server.DisposeAsync();
}

/// <summary>A server started from installed programs.</summary>
internal sealed class NativeHost(NativeServer server) : ServerHost
{
    public override ProvisionMode Provision => ProvisionMode.Native;
    public override string Description => server.Description;
    public override int? ProcessId => server.ProcessId;
    public override string DirectoryPath => server.DirectoryPath;

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) => Task.FromResult(server.LogTail);
    public override Task KillAsync(CancellationToken cancellationToken) => server.KillAsync(cancellationToken);
    public override Task StartAgainAsync(CancellationToken cancellationToken) => server.StartAgainAsync(cancellationToken);
    public override Task PauseAsync(CancellationToken cancellationToken) => server.SignalAsync("STOP", cancellationToken);
    public override Task ContinueAsync(CancellationToken cancellationToken) => server.SignalAsync("CONT", cancellationToken);
    public override ValueTask DisposeAsync() => server.DisposeAsync();
}
