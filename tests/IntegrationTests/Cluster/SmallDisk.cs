namespace IntegrationTests.Cluster;

/// <summary>A file system in memory that holds a server's log and can be filled.</summary>
internal sealed class SmallDisk : IAsyncDisposable
{
    private const long Bytes = 512L << 20;

    private readonly string _directory;

    private SmallDisk(string directory) => _directory = directory;

    private string Filler => Path.Combine(_directory, "filler");

    /// <summary>Moves the log of a server there; null where the system does not let this process mount one.</summary>
    public static async Task<SmallDisk?> TryMountAsync(PostgresServer server)
    {
        var directory = Directory.CreateTempSubdirectory("workflow-disk-").FullName;
        var mounted = OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess
            && (await Command.RunAsync("mount", ["-t", "tmpfs", "-o", $"size={Bytes}", "tmpfs", directory],
                cancellationToken: Cancel)).Succeeded;
        if (!mounted)
        {
            Directory.Delete(directory);
            return null;
        }

        var disk = new SmallDisk(directory);
        try
        {
            var log = Path.Combine(server.Host.DirectoryPath!, "data", "pg_wal");
            await server.StopFastAsync(Cancel);
            await RunAsync("cp", "-a", log, directory);
            await RunAsync("chown", $"--reference={log}", directory);
            Directory.Delete(log, recursive: true);
            Directory.CreateSymbolicLink(log, Path.Combine(directory, "pg_wal"));
            await server.Host.StartAgainAsync(Cancel);
            return disk;
        }
        catch
        {
            await disk.DisposeAsync();
            throw;
        }
    }

    /// <summary>Leaves no byte free.</summary>
    public async Task FillAsync()
    {
        var filled = await Command.RunAsync("dd", ["if=/dev/zero", $"of={Filler}", "bs=1M"], cancellationToken: Cancel);
        Assert.Contains("No space left on device", filled.Describe(), StringComparison.Ordinal);
    }

    public void Free() => File.Delete(Filler);

    public async ValueTask DisposeAsync()
    {
        // The server still runs on it: the kernel lets go of it when that ends.
        await RunAsync("umount", "-l", _directory);
        Directory.Delete(_directory);
    }

    private static async Task RunAsync(string program, params string[] arguments)
    {
        var result = await Command.RunAsync(program, arguments, cancellationToken: CancellationToken.None);
        Assert.True(result.Succeeded, result.Describe());
    }
}
