using System.Globalization;
using Npgsql;

namespace PerformanceTesting.Backends;

/// <summary>
/// A durable PostgreSQL server of our own: installed binaries, private data directory, free port on 127.0.0.1, random password. It ends
/// with this process, whatever way that ends, and can be stopped, killed and started again for fault tests.
/// </summary>
public sealed class NativePostgresServer : PostgresServer
{
    private const int PortAttempts = 3;
    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan ExitDeadline = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan ReadinessPause = TimeSpan.FromMilliseconds(25);

    private readonly PostgresCluster _cluster;
    private readonly TimeProvider _time;
    private GuardedProcess? _postmaster;
    private int _port;

    private NativePostgresServer(PostgresCluster cluster, TimeProvider time)
    {
        _cluster = cluster;
        _time = time;
    }

    public override ProvisionMode Provision => ProvisionMode.Native;

    public override string Description => $"native server (host=127.0.0.1, port={_port}, {_cluster.Binaries.Directory})";

    public override string LogTail => _cluster.LogTail;

    /// <summary>The private directory: log, data, socket.</summary>
    public string DirectoryPath => _cluster.Root;

    public override string ReachableDirectory => DirectoryPath;

    public override int? ProcessId => _postmaster is { HasExited: false } ? _cluster.ReadProcessId() : null;

    public override string AdministrationConnectionString => Connect("postgres");

    /// <summary>Removes what killed runs left, prepares a data directory, starts the server and waits until it answers a query.</summary>
    /// <param name="binaries">Which installation.</param>
    /// <param name="time">Clock of the deadlines; the system's when omitted.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start or is not durable; the message holds the end of its log.</exception>
    public static async Task<NativePostgresServer> StartAsync(
        PostgresBinaries binaries,
        TimeProvider? time = null,
        CancellationToken cancellationToken = default)
    {
        await PostgresLeftovers.RemoveAsync(binaries, cancellationToken);
        var server = new NativePostgresServer(await PostgresCluster.CreateAsync(binaries, cancellationToken), time ?? TimeProvider.System);
        try
        {
            server._cluster.Configure(server.Settings());
            await server.StartOnFreePortAsync(cancellationToken);
            await server.RefuseUnlessDurableAsync(cancellationToken);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Ends the server as a crash would look to it: no checkpoint, open transactions lost, recovery at the next start.</summary>
    public Task StopImmediateAsync(CancellationToken cancellationToken) => StopAsync("immediate", cancellationToken);

    /// <summary>Ends the server in order: sessions are cut, a checkpoint is written.</summary>
    public Task StopFastAsync(CancellationToken cancellationToken) => StopAsync("fast", cancellationToken);

    /// <summary>Kills the main process without a word; its children notice and end by themselves.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        var id = ProcessId ?? throw new BackendException($"{Description} does not run, so it cannot be killed. Start it first.");
        using (var process = System.Diagnostics.Process.GetProcessById(id))
        {
            process.Kill();
        }

        await EndAsync(cancellationToken);
    }

    /// <summary>Starts a stopped or killed server again, on the same port and data.</summary>
    /// <exception cref="BackendException">It does not come up within a minute.</exception>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_postmaster is not null)
        {
            throw new BackendException($"{Description} runs already. Stop or kill it first.");
        }

        var start = _time.GetTimestamp();
        while (!await TryStartAsync(cancellationToken))
        {
            // After a kill the children may still hold the shared memory for a moment, and the server refuses to start beside them.
            if (!LogTail.Contains("is still in use", StringComparison.Ordinal) || _time.GetElapsedTime(start) > StartDeadline)
            {
                throw new BackendException($"{Description} did not start again.{Environment.NewLine}{LogTail}");
            }

            await Task.Delay(ReadinessPause, _time, cancellationToken);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        if (_postmaster is not null)
        {
            await StopFastAsync(CancellationToken.None);
        }

        _cluster.Delete();
    }

    private string Connect(string database) =>
        new NpgsqlConnectionStringBuilder
        {
            Host = "127.0.0.1",
            Port = _port,
            Username = "postgres",
            Password = _cluster.Password,
            Database = database,
            PersistSecurityInfo = true,
        }.ConnectionString;

    private Dictionary<string, string> Settings() => new(PostgresSettings.OfOwnServers)
    {
        ["listen_addresses"] = "127.0.0.1",
        ["unix_socket_directories"] = _cluster.SocketDirectory,
    };

    private async Task StartOnFreePortAsync(CancellationToken cancellationToken)
    {
        var withStatistics = true;
        for (var attempt = 1; ; attempt++)
        {
            _port = LoopbackPort.Free();
            _cluster.Configure(new Dictionary<string, string> { ["port"] = _port.ToString(CultureInfo.InvariantCulture) });
            if (await TryStartAsync(cancellationToken))
            {
                break;
            }

            // The statistics module comes in a package of its own on some systems.
            if (withStatistics && LogTail.Contains(PostgresSettings.StatementStatistics, StringComparison.Ordinal))
            {
                withStatistics = false;
                _cluster.Configure(new Dictionary<string, string> { ["shared_preload_libraries"] = "" });
            }
            else if (attempt >= PortAttempts || !LogTail.Contains("could not bind", StringComparison.Ordinal))
            {
                throw new BackendException($"{Description} did not start.{Environment.NewLine}{LogTail}");
            }
        }

        if (withStatistics)
        {
            // In the template, so that every database that a test creates has the view.
            await ExecuteAsync(Connect("template1"), PostgresSettings.CreateStatistics, cancellationToken);
        }
    }

    private async Task<bool> TryStartAsync(CancellationToken cancellationToken)
    {
        _postmaster = _cluster.Launch();
        if (await _postmaster.AnswersAsync(this, async token => await AskAsync(AdministrationConnectionString, token) is null, StartDeadline, ReadinessPause, _time, cancellationToken))
        {
            return true;
        }

        await EndAsync(cancellationToken);
        return false;
    }

    private async Task StopAsync(string mode, CancellationToken cancellationToken)
    {
        if (_postmaster is null)
        {
            throw new BackendException($"{Description} does not run, so it cannot be stopped. Start it first.");
        }

        await _cluster.StopAsync(mode, cancellationToken);
        await EndAsync(cancellationToken);
    }

    private async Task EndAsync(CancellationToken cancellationToken)
    {
        await _postmaster!.EndAsync(ExitDeadline, _time, cancellationToken);
        _postmaster = null;
    }
}
