using System.Diagnostics;
using System.Globalization;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Notes beside the lock file that say who holds it, for messages only: a locked file cannot be read everywhere, and a shared lock has
/// many holders. A note of a dead process is ignored.
/// </summary>
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
        File.Move(unfinished, _note);
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
