using System.Diagnostics;

namespace IntegrationTests.Shared.Running;

/// <summary>Notes beside the lock file that name its holders in messages. Dead processes are ignored.</summary>
internal sealed class TestRunLockHolders(string lockPath, TimeProvider time)
{
    private static int _count;

    // One process may hold several locks in tests of the lock itself.
    private readonly string _note = $"{lockPath}.{Environment.ProcessId}-{Interlocked.Increment(ref _count)}.holder";

    public void Add(TestRunLockMode mode, string assembly)
    {
        RemoveThoseOfTheDead();

        // Renamed into place, so that no process reads half a note.
        var unfinished = $"{_note}.new";
        File.WriteAllText(unfinished, string.Create(
            CultureInfo.InvariantCulture,
            $"{assembly}, {mode.ToString().ToLowerInvariant()}, since {time.GetLocalNow():yyyy-MM-dd HH:mm:ss}"));
        // A killed process that had our id has left its own there.
        File.Move(unfinished, _note, overwrite: true);
    }

    public void Remove() => File.Delete(_note);

    public string Describe()
    {
        var living = Notes()
            .Select(note => (Id: ProcessId(note), Note: note))
            .Where(holder => IsAlive(holder.Id))
            .Select(holder => string.Create(
                CultureInfo.InvariantCulture, $"process {holder.Id} ({Read(holder.Note)}; 'kill {holder.Id}' ends it)"))
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
