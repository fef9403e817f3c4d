using Foundation;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// Installed PostgreSQL programs on a private data directory. The directory's name holds the process that owns it, so
/// that a later run can recognise what a killed one left behind.
/// </summary>
internal sealed class PostgresNative(
    PostgresBinaries binaries,
    ServerAccount account,
    TimeProvider? time,
    bool inMemory,
    Func<PostgresNative, CancellationToken, Task<string?>> ask)
    : NativeServer(DirectoryKind, binaries.Directory, time, inMemory)
{
    private const string DirectoryKind = "postgres";

    // sockaddr_un holds 108 bytes on Linux, 104 on macOS; the server adds "/.s.PGSQL.65535".
    private const int MaxSocketDirectoryLength = 85;

    /// <summary>Whether the server counts statements: on some systems the module is in a separate package.</summary>
    public bool HasStatistics { get; private set; } = true;

    protected override string ProcessIdFile => Path.Combine("data", "postmaster.pid");
    protected override TimeSpan StartTimeout => TimeSpan.FromMinutes(3);
    protected override TimeSpan Pause => TimeSpan.FromMilliseconds(25);
    protected override string PortTaken => "could not bind";
    private string Data => PathOf("data");

    /// <summary>
    /// Where the server may put its Unix socket; empty, which means none, when the path is too long for the system.
    /// </summary>
    private string SocketDirectory =>
        OperatingSystem.IsWindows() || DirectoryPath.Length > MaxSocketDirectoryLength ? "" : DirectoryPath;

    /// <summary>Removes what killed runs left, prepares a data directory, and starts the server.</summary>
    /// <param name="time">Clock of the deadlines; the system's when null.</param>
    /// <param name="inMemory">Whether its data are in memory, where there is room for them.</param>
    /// <param name="ask">Asks whether the server takes writes; null when it does.</param>
    /// <exception cref="BackendException">It does not start; the message holds what the programs wrote.</exception>
    public static async Task<PostgresNative> StartAsync(
        PostgresBinaries binaries,
        TimeProvider? time,
        bool inMemory,
        Func<PostgresNative, CancellationToken, Task<string?>> ask,
        CancellationToken cancellationToken)
    {
        var account = await ServerAccount.FindAsync(cancellationToken);
        foreach (var directory in OwnedDirectory.FindAbandoned(DirectoryKind))
        {
            await RemoveAsync(directory, binaries, account, cancellationToken);
        }

        return await new PostgresNative(binaries, account, time, inMemory, ask).PreparedAsync(async server =>
        {
            Directory.CreateDirectory(server.DirectoryPath);
            await server.InitialiseAsync(cancellationToken);
            await server.StartAsync(cancellationToken);
        });
    }

    /// <summary>Stops the server and waits for its end.</summary>
    /// <param name="mode"><c>fast</c> or <c>immediate</c>, as pg_ctl has them.</param>
    /// <exception cref="BackendException">It does not run, or does not stop.</exception>
    public async Task StopAsync(string mode, CancellationToken cancellationToken)
    {
        if (!IsStarted)
        {
            throw new BackendException($"{Description} does not run, so it cannot be stopped. Start it first.");
        }

        var result = await account.RunAsync(
            binaries.PgCtl, ["stop", "-D", Data, "-m", mode, "-w", "-t", "60"], cancellationToken);
        if (!result.Succeeded && ProcessId is not null)
        {
            throw new BackendException($"{result.Describe()}{Environment.NewLine}{LogTail}");
        }

        await EndAsync(cancellationToken);
    }

    public override async ValueTask DisposeAsync()
    {
        if (IsStarted)
        {
            await StopAsync("fast", CancellationToken.None);
        }

        Delete();
    }

    protected override Task ConfigureAsync(CancellationToken cancellationToken)
    {
        Configure(new Dictionary<string, string> { ["port"] = Port.ToString(CultureInfo.InvariantCulture) });
        return Task.CompletedTask;
    }

    protected override IReadOnlyList<string> CommandLine()
    {
        string[] log = OperatingSystem.IsWindows()
            ? ["-c", "logging_collector=on", "-c", $"log_directory={DirectoryPath}", "-c", "log_filename=server.log"]
            : [];
        return [.. account.Prefix, binaries.Postgres, "-D", Data, .. log];
    }

    protected override async Task<bool> AnswersAsync(CancellationToken cancellationToken) =>
        await ask(this, cancellationToken) is null;

    protected override bool CanStartOtherwise()
    {
        if (!HasStatistics || !LogTail.Contains(PostgresSettings.StatementStatistics, StringComparison.Ordinal))
        {
            return false;
        }

        HasStatistics = false;
        Configure(new Dictionary<string, string> { ["shared_preload_libraries"] = "" });
        return true;
    }

    /// <summary>
    /// After a kill the children may hold the shared memory for a moment, and the server refuses to start beside them.
    /// </summary>
    protected override bool IsHeldByPreviousRun() => LogTail.Contains("is still in use", StringComparison.Ordinal);

    /// <summary>
    /// Ends and removes the server of a process that is gone; the <see cref="GuardedProcess"/> may have been killed
    /// too.
    /// </summary>
    private static async Task RemoveAsync(
        string directory, PostgresBinaries binaries, ServerAccount account, CancellationToken cancellationToken)
    {
        var data = Path.Combine(directory, "data");
        if (File.Exists(Path.Combine(data, "postmaster.pid")))
        {
            // Fails when the server is gone already, which is as good.
            await account.RunAsync(
                binaries.PgCtl, ["stop", "-D", data, "-m", "immediate", "-w", "-t", "30"], cancellationToken);
        }

        OwnedDirectory.TryRemove(() => Directory.Delete(directory, recursive: true));
    }

    /// <summary>
    /// Sets what the server starts with. Later calls win, so a setting that did not work can be taken back.
    /// </summary>
    private void Configure(IReadOnlyDictionary<string, string> settings)
    {
        var lines = settings.Select(
            setting => $"{setting.Key} = '{setting.Value.Replace("'", "''", StringComparison.Ordinal)}'");
        File.AppendAllLines(Path.Combine(Data, "postgresql.conf"), lines);
    }

    private async Task InitialiseAsync(CancellationToken cancellationToken)
    {
        await WritePrivateAsync("password", Password, cancellationToken);
        if (account.IsOther)
        {
            await RequireAsync(
                Command.RunAsync(
                    "chown", ["-R", ServerAccount.Name, DirectoryPath], cancellationToken: cancellationToken));
        }

        string[] arguments =
            ["-D", Data, "-U", "postgres", "-A", "scram-sha-256", $"--pwfile={PathOf("password")}", "-E", "UTF8",
                "--locale=C"];
        await RequireAsync(account.RunAsync(binaries.Initdb, arguments, cancellationToken));
        File.Delete(PathOf("password"));
        Configure(new Dictionary<string, string>(PostgresSettings.OfOwnServers)
        {
            ["listen_addresses"] = "127.0.0.1",
            ["unix_socket_directories"] = SocketDirectory,
        });
    }

    private async Task RequireAsync(Task<CommandResult> command)
    {
        var result = await command;
        if (!result.Succeeded)
        {
            throw new BackendException(
                $"A private PostgreSQL server cannot be prepared in '{DirectoryPath}': "
                    + $"{result.Describe()}{Environment.NewLine}If the directory cannot be entered, set TMPDIR to one "
                    + "that the server's user can enter and that has room.");
        }
    }
}
