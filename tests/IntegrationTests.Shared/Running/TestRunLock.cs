using System.Reflection;
using Foundation;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// A machine-wide lock between test processes, on a file that is never deleted. The operating system holds it (flock on Unix, share
/// modes on Windows), so that it ends with its holder, however that ends; a file left behind means nothing. A shared holder reads and
/// lets others read, an exclusive one writes and shares nothing. There is no queue: an exclusive waiter gets its turn when no shared
/// holder is left. .NET opens files so that child processes do not inherit them, so a server started by a test does not hold the lock.
/// </summary>
public sealed class TestRunLock : IDisposable
{
    private readonly FileStream _file;
    private readonly TestRunLockHolders _holders;

    private TestRunLock(FileStream file, TestRunLockHolders holders)
    {
        _file = file;
        _holders = holders;
    }

    /// <summary>Takes the lock, waiting for holders that exclude it.</summary>
    /// <exception cref="TimeoutException">Still excluded after the time-out; names the file and the processes that hold it.</exception>
    /// <exception cref="UnauthorizedAccessException">The file belongs to another user and may not be opened.</exception>
    public static async Task<TestRunLock> AcquireAsync(
        TestRunLockMode mode, TestRunLockOptions options, CancellationToken cancellationToken)
    {
        var holders = new TestRunLockHolders(options.Path);
        var start = options.Time.GetTimestamp();
        var backoff = new Backoff(options.FirstPause, options.LongestPause, options.Time, factor: 1.5);
        while (true)
        {
            if (TryOpen(mode, options.Path) is { } file)
            {
                holders.Add(mode, Assembly.GetEntryAssembly()?.GetName().Name ?? "unknown");
                return new TestRunLock(file, holders);
            }

            var left = options.Timeout - options.Time.GetElapsedTime(start);
            if (left <= TimeSpan.Zero)
            {
                throw new TimeoutException(
                    $"The {mode.ToString().ToLowerInvariant()} lock on '{options.Path}' was not free within {options.Timeout}. " +
                    $"Held by: {holders.Describe()}. Wait for that run or end it; the file itself may stay.");
            }

            await backoff.PauseAsync(left, cancellationToken);
        }
    }

    public void Dispose()
    {
        _holders.Remove();
        _file.Dispose();
    }

    private static FileStream? TryOpen(TestRunLockMode mode, string path)
    {
        try
        {
            CreateForEveryone(path);
            return mode == TestRunLockMode.Exclusive
                ? new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None)
                : new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        }
        catch (IOException) when (File.Exists(path))
        {
            return null; // Held by another process in a way that excludes ours.
        }
    }

    // Another user of the machine must be able to open it for writing, whatever the umask of the user who came first.
    private static void CreateForEveryone(string path)
    {
        if (File.Exists(path))
        {
            return;
        }

        using var created = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite);
        if (!OperatingSystem.IsWindows())
        {
            const UnixFileMode Everyone = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead |
                UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;
            File.SetUnixFileMode(created.SafeFileHandle, Everyone);
        }
    }
}
