using System.Diagnostics;
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
                    $"The {mode.ToString().ToLowerInvariant()} lock on '{options.Path}' was not free within {options.Timeout}. " +
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

/// <summary>Who may run beside a test assembly.</summary>
public enum TestRunLockMode
{
    /// <summary>Others that are shared.</summary>
    Shared,

    /// <summary>Nobody: what it measures would be disturbed.</summary>
    Exclusive,
}

/// <summary>Where the lock is and how long to wait for it.</summary>
public sealed record TestRunLockOptions
{
    /// <summary>The lock file; by default one in the temporary directory, for all checkouts on the machine. Never deleted.</summary>
    public string Path { get; init; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "workflow-test-run.lock");

    /// <summary>Longest wait; 20 minutes by default. A soak run holds the lock longer: it is not a time to run other tests.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromMinutes(20);

    /// <summary>Is given the processes that hold the lock when a wait begins, and again while it lasts; default: nobody.</summary>
    public Action<string>? Waiting { get; init; }

    /// <summary>How long from one call of <see cref="Waiting"/> to the next; half a minute by default.</summary>
    public TimeSpan ReportEvery { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>First pause between two attempts, 20 ms by default. Each is half as long again, up to <see cref="LongestPause"/>.</summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Longest pause between two attempts; half a second by default.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Clock of pauses and time-out; the system's by default.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}

/// <summary>Notes beside the lock file that say who holds it, for messages only. A note of a dead process is ignored.</summary>
internal sealed class TestRunLockHolders(string lockPath)
{
    private static int _count;

    // One process may hold several locks in tests of the lock itself.
    private readonly string _note = $"{lockPath}.{Environment.ProcessId}-{Interlocked.Increment(ref _count)}.holder";

    public void Add(TestRunLockMode mode, string assembly)
    {
        RemoveThoseOfTheDead();

        // Renamed into place, so that nobody reads half a note.
        var unfinished = $"{_note}.new";
        File.WriteAllText(unfinished, $"{assembly}, {mode.ToString().ToLowerInvariant()}");
        // A killed process that had our id has left its own there.
        File.Move(unfinished, _note, overwrite: true);
    }

    public void Remove() => File.Delete(_note);

    public string Describe()
    {
        var living = Notes()
            .Select(note => (Id: ProcessId(note), Note: note))
            .Where(holder => IsAlive(holder.Id))
            .Select(holder => $"process {holder.Id} ({Read(holder.Note)})")
            .ToList();
        return living.Count == 0 ? "a process that left no note" : string.Join(", ", living);
    }

    private IEnumerable<string> Notes() =>
        Directory.EnumerateFiles(Path.GetDirectoryName(lockPath)!, $"{Path.GetFileName(lockPath)}.*.holder");

    private void RemoveThoseOfTheDead()
    {
        foreach (var note in Notes().Where(note => !IsAlive(ProcessId(note))))
        {
            try
            {
                File.Delete(note);
            }
            catch (UnauthorizedAccessException)
            {
                // Another user's note; it is ignored while it stays.
            }
        }
    }

    private static int ProcessId(string note)
    {
        var name = Path.GetFileName(note).Split('.')[^2].Split('-')[0];
        return int.TryParse(name, CultureInfo.InvariantCulture, out var id) ? id : -1;
    }

    private static bool IsAlive(int id)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            return !process.HasExited;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    private static string Read(string note)
    {
        try
        {
            return File.ReadAllText(note);
        }
        catch (IOException)
        {
            return "just released";
        }
    }
}
