using System.Globalization;

namespace PerformanceTesting.Backends.Mongo;

/// <summary>
/// An installed mongod of our own: private directory, free port on 127.0.0.1, member of a replica set that is still to be made. It ends with this process, whatever
/// way that ends.
/// </summary>
internal sealed class MongoProcess
{
    private const int LogTailLines = 40;
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    private readonly string _binary;
    private readonly GuardedProcess _process;

    private MongoProcess(string binary, string directory, int port, GuardedProcess process)
    {
        _binary = binary;
        DirectoryPath = directory;
        Port = port;
        _process = process;
    }

    /// <summary>Settings that make no difference between a container and an installed program.</summary>
    public static IReadOnlyList<string> Arguments { get; } = ["--replSet", MongoReplicaSet.Name, "--wiredTigerCacheSizeGB", "0.5", "--oplogSize", "1024"];

    public int Port { get; }

    /// <summary>Log, data.</summary>
    public string DirectoryPath { get; }

    public string Description => $"native server (host=127.0.0.1, port={Port}, {_binary})";

    public string LogTail => File.Exists(LogFile)
        ? $"Last lines of the server's log:{Environment.NewLine}{string.Join(Environment.NewLine, File.ReadLines(LogFile).TakeLast(LogTailLines))}"
        : "The server has written no log.";

    public int? ProcessId => !_process.HasExited && File.Exists(IdFile(DirectoryPath)) && int.TryParse(File.ReadAllText(IdFile(DirectoryPath)), CultureInfo.InvariantCulture, out var id) ? id : null;

    private string LogFile => Path.Combine(DirectoryPath, "server.log");

    /// <summary>Removes what killed runs left, and starts a server; it is not ready yet.</summary>
    public static MongoProcess Start(string binary)
    {
        ServerLeftovers.Remove(OwnedDirectory.Mongo, "mongod.pid");
        var directory = Path.Combine(Path.GetTempPath(), OwnedDirectory.NewName(OwnedDirectory.Mongo));
        var data = Path.Combine(directory, "data");
        Directory.CreateDirectory(data);
        var port = LoopbackPort.Free();
        return new MongoProcess(binary, directory, port, GuardedProcess.Start(
            directory, IdFile(directory), [binary, "--dbpath", data, "--port", $"{port}", "--bind_ip", "127.0.0.1", "--pidfilepath", IdFile(directory), .. Arguments]));
    }

    /// <summary>Asks until the server answers.</summary>
    /// <exception cref="BackendException">It ends, or does not answer in time; the message holds the end of its log.</exception>
    public async Task WaitUntilReadyAsync(BackendServer server, Func<CancellationToken, Task<bool>> ask, CancellationToken cancellationToken)
    {
        if (!await _process.AnswersAsync(server, ask, Deadline, Pause, TimeProvider.System, cancellationToken))
        {
            throw new BackendException($"{Description} did not start.{Environment.NewLine}{LogTail}");
        }
    }

    /// <summary>Ends the server, in which nothing is wanted any more, and removes its directory.</summary>
    public async Task EndAsync(BackendServer server)
    {
        if (ProcessId is not null)
        {
            await GuardedProcess.SignalAsync(server, "KILL", CancellationToken.None);
        }

        await _process.EndAsync(Deadline, TimeProvider.System, CancellationToken.None);
        if (Directory.Exists(DirectoryPath))
        {
            Directory.Delete(DirectoryPath, recursive: true);
        }
    }

    private static string IdFile(string directory) => Path.Combine(directory, "mongod.pid");
}
