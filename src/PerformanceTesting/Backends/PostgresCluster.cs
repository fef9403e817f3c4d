using System.Globalization;
using System.Security.Cryptography;
using PerformanceTesting.Processes;

namespace PerformanceTesting.Backends;

/// <summary>
/// A private data directory under the temporary directory, with its log and socket. The directory's name holds the process that owns
/// it, so that a later run can tell what a killed one left behind.
/// </summary>
internal sealed class PostgresCluster
{
    private const int LogTailLines = 40;

    // sockaddr_un holds 108 bytes on Linux, 104 on macOS; the server adds "/.s.PGSQL.65535".
    private const int MaxSocketDirectoryLength = 85;

    private PostgresCluster(string root, PostgresBinaries binaries, ServerAccount account)
    {
        Root = root;
        Binaries = binaries;
        Account = account;
    }

    public string Root { get; }

    public PostgresBinaries Binaries { get; }

    public ServerAccount Account { get; }

    public string Password { get; } = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));

    public string Data => Path.Combine(Root, "data");

    public string Log => Path.Combine(Root, "server.log");

    public string LogTail =>
        File.Exists(Log)
            ? $"Last lines of the server's log:{Environment.NewLine}{string.Join(Environment.NewLine, File.ReadLines(Log).TakeLast(LogTailLines))}"
            : "The server has written no log.";

    private string ProcessIdFile => Path.Combine(Data, "postmaster.pid");

    /// <summary>Creates the directory, owned by the server's user, and initialises it with a random password.</summary>
    /// <exception cref="BackendException">A program failed; the message holds what it said.</exception>
    public static async Task<PostgresCluster> CreateAsync(PostgresBinaries binaries, CancellationToken cancellationToken)
    {
        var account = await ServerAccount.FindAsync(cancellationToken);
        var root = Path.Combine(Path.GetTempPath(), OwnedDirectory.NewName(OwnedDirectory.Postgres));
        Directory.CreateDirectory(root);
        var cluster = new PostgresCluster(root, binaries, account);
        try
        {
            await cluster.InitialiseAsync(cancellationToken);
        }
        catch
        {
            cluster.Delete();
            throw;
        }

        return cluster;
    }

    /// <summary>Sets what the server starts with. Later calls win, so a setting that did not work can be taken back.</summary>
    public void Configure(IReadOnlyDictionary<string, string> settings)
    {
        var lines = settings.Select(setting => $"{setting.Key} = '{setting.Value.Replace("'", "''", StringComparison.Ordinal)}'");
        File.AppendAllLines(Path.Combine(Data, "postgresql.conf"), lines);
    }

    /// <summary>Where the server may put its Unix socket; empty, which means none, when the path would be too long for the system.</summary>
    public string SocketDirectory => OperatingSystem.IsWindows() || Root.Length > MaxSocketDirectoryLength ? "" : Root;

    /// <summary>Starts the server of this directory; it is not ready yet.</summary>
    public GuardedProcess Launch()
    {
        string[] log = OperatingSystem.IsWindows() ? ["-c", "logging_collector=on", "-c", $"log_directory={Root}", "-c", "log_filename=server.log"] : [];
        return GuardedProcess.Start(Root, ProcessIdFile, [.. Account.Prefix, Binaries.Postgres, "-D", Data, .. log]);
    }

    /// <summary>The postmaster's process id from its lock file; null when no server holds the directory.</summary>
    public int? ReadProcessId()
    {
        return File.Exists(ProcessIdFile) && int.TryParse(File.ReadLines(ProcessIdFile).FirstOrDefault(), CultureInfo.InvariantCulture, out var id) ? id : null;
    }

    /// <summary>Stops the server of this directory and waits for its end.</summary>
    /// <param name="mode"><c>fast</c> or <c>immediate</c>, as pg_ctl has them.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task StopAsync(string mode, CancellationToken cancellationToken)
    {
        var result = await Account.RunAsync(Binaries.PgCtl, ["stop", "-D", Data, "-m", mode, "-w", "-t", "60"], cancellationToken);
        if (!result.Succeeded && ReadProcessId() is not null)
        {
            throw new BackendException($"{result.Describe()}{Environment.NewLine}{LogTail}");
        }
    }

    public void Delete()
    {
        if (Directory.Exists(Root))
        {
            Directory.Delete(Root, recursive: true);
        }
    }

    private async Task InitialiseAsync(CancellationToken cancellationToken)
    {
        var passwordFile = Path.Combine(Root, "password");
        await File.WriteAllTextAsync(passwordFile, Password, cancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(passwordFile, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        if (Account.IsOther)
        {
            await RequireAsync(Command.RunAsync("chown", ["-R", ServerAccount.Name, Root], cancellationToken: cancellationToken));
        }

        string[] arguments =
            ["-D", Data, "-U", "postgres", "-A", "scram-sha-256", $"--pwfile={passwordFile}", "-E", "UTF8", "--locale=C"];
        await RequireAsync(Account.RunAsync(Binaries.Initdb, arguments, cancellationToken));
        File.Delete(passwordFile);
    }

    private async Task RequireAsync(Task<CommandResult> command)
    {
        var result = await command;
        if (!result.Succeeded)
        {
            throw new BackendException(
                $"A private PostgreSQL server cannot be prepared in '{Root}': {result.Describe()}{Environment.NewLine}" +
                "If the directory cannot be entered, set TMPDIR to one that the server's user can enter and that has room.");
        }
    }
}
