using System.Diagnostics;
using System.Text.Json.Serialization;

namespace Foundation;

/// <summary>A process by id and start time, so that another one with the same id is not taken for it.</summary>
/// <param name="Id">The process id.</param>
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

    /// <summary>Whether it runs still, on this machine. One that has ended runs no more, though its parent has not asked how.</summary>
    [JsonIgnore]
    public bool IsAlive
    {
        get
        {
            try
            {
                using var process = Process.GetProcessById(Id);
                return Math.Abs(SecondsOf(process) - StartSeconds) <= StartToleranceSeconds && !IsZombie(Id);
            }
            catch (ArgumentException)
            {
                return false; // No process has that id.
            }
            catch (InvalidOperationException)
            {
                return false; // It ended while being asked.
            }
        }
    }

    /// <summary>Reads what <see cref="ToString"/> wrote; null when it is something else.</summary>
    public static ProcessOwner? Find(string text)
    {
        var parts = text.Split('-');
        return parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var id)
            && long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var start) ? new ProcessOwner(id, start) : null;
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Id}-{StartSeconds}");

    /// <summary>Whether it has ended and only its parent has not asked how: that may last for as long as the parent runs.</summary>
    private static bool IsZombie(int id)
    {
        if (!OperatingSystem.IsLinux())
        {
            return false;
        }

        try
        {
            // "id (name) state ...", and a name may hold brackets and blanks.
            var stat = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
            return stat.AsSpan(stat.LastIndexOf(')') + 1).TrimStart() is ['Z' or 'X', ..];
        }
        catch (IOException)
        {
            return true; // It ended while being asked.
        }
    }

    private static long SecondsOf(Process process) => new DateTimeOffset(process.StartTime).ToUnixTimeSeconds();
}
