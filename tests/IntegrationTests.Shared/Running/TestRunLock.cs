using System.Reflection;
using Foundation;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// A machine-wide lock between test processes, on a file that is never deleted. The operating system holds it (flock on
/// Unix, share modes on Windows), so that it ends with its holder, however that ends; a file left behind means nothing.
/// A shared holder reads and lets others read, an exclusive one writes and shares nothing. There is no queue: an
/// exclusive waiter gets its turn when no shared holder is left. .NET opens files so that child processes do not
/// inherit them, so a server started by a test does not hold the lock.
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
    /// <exception cref="TimeoutException">Still excluded after the time-out; names the holders.</exception>
    /// <exception cref="UnauthorizedAccessException">The file belongs to another user.</exception>
    public static async Task<TestRunLock> AcquireAsync(
        TestRunLockMode mode, TestRunLockOptions options, CancellationToken cancellationToken)
    {
        var holders = new TestRunLockHolders(options.Path, options.Time);
        var start = options.Time.GetTimestamp();
        var backoff = new Backoff(options.FirstPause, options.LongestPause, options.Time, factor: 1.5);
        var reported = -options.ReportEvery;
        while (true)
        {
            if (TryOpen(mode, options.Path) is { } file)
            {
                try
                {
                    holders.Add(mode, Assembly.GetEntryAssembly()?.GetName().Name ?? "unknown");
                    return new TestRunLock(file, holders);
                }
                catch
                {
                    file.Dispose();
                    throw;
                }
            }

            var waited = options.Time.GetElapsedTime(start);
            var left = options.Timeout - waited;
            if (left <= TimeSpan.Zero)
            {
                throw new TimeoutException(
                    $"The {mode.ToString().ToLowerInvariant()} lock on '{options.Path}' was not "
                        + $"free within {options.Timeout}. " +
                    $"Held by: {holders.Describe()}. Wait for that run or end it; the file itself may stay.");
            }

            if (options.Waiting is { } report && waited >= reported + options.ReportEvery)
            {
                reported = waited;
                report(holders.Describe());
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

    // Another user must be able to open the file for writing, regardless of the first user's umask.
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
