using System.ComponentModel;
using System.Diagnostics;
using System.Text.Json.Serialization;

namespace Foundation;

/// <summary>A process, identified by id and start time because ids are reused.</summary>
/// <param name="StartSeconds">When it started, Unix seconds.</param>
public sealed record ProcessOwner(int Id, long StartSeconds)
{
    // The start time is derived from the boot time, which two processes may round differently.
    private const long StartToleranceSeconds = 2;

    public static ProcessOwner Current
    {
        get
        {
            using var self = Process.GetCurrentProcess();
            return new ProcessOwner(self.Id, SecondsOf(self));
        }
    }

    /// <summary>The process with this id; null if no process has it.</summary>
    public static ProcessOwner? Of(int id)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            return new ProcessOwner(id, SecondsOf(process));
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException
            || (e is Win32Exception && OperatingSystem.IsLinux()))
        {
            // No process has that id, or it ended while being asked: on Linux the start time needs no permission.
            return null;
        }
    }

    /// <summary>Whether the process still runs on this machine. A zombie does not count as running.</summary>
    [JsonIgnore]
    public bool IsAlive => Of(Id) is { } running
        && Math.Abs(running.StartSeconds - StartSeconds) <= StartToleranceSeconds && !IsZombie(Id);

    /// <summary>Parses the text of <see cref="ToString"/>; null for any other text.</summary>
    public static ProcessOwner? Find(string text)
    {
        var parts = text.Split('-');
        return parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var id)
            && long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var start)
            ? new ProcessOwner(id, start)
            : null;
    }

    /// <summary>The parent process; null if unknown, as everywhere except on Linux.</summary>
    public ProcessOwner? FindParent() => ProcessStat.Read(Id) is { Parent: > 0 and var parent } ? Of(parent) : null;

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Id}-{StartSeconds}");

    /// <summary>
    /// Whether the process has ended and its parent has not collected the exit status, which may take as long as the
    /// parent runs.
    /// </summary>
    private static bool IsZombie(int id) =>
        OperatingSystem.IsLinux() && ProcessStat.Read(id) is null or { State: 'Z' or 'X' };

    private static long SecondsOf(Process process) => new DateTimeOffset(process.StartTime).ToUnixTimeSeconds();
}
