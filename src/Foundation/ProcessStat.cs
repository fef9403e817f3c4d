namespace Foundation;

/// <summary>The state of a process on Linux, from <c>/proc/PID/stat</c>.</summary>
/// <param name="Name">The name of the program, shortened by the kernel.</param>
/// <param name="State">The kernel's letter; Z and X mean that the process has ended.</param>
/// <param name="Parent">The id of the parent process.</param>
internal readonly record struct ProcessStat(string Name, char State, int Parent)
{
    /// <summary>Null if no process has the id, or the system is not Linux.</summary>
    public static ProcessStat? Read(int id)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        try
        {
            // "id (name) state parent ...", and a name may contain brackets and blanks.
            var stat = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
            var (begin, end) = (stat.IndexOf('(', StringComparison.Ordinal), stat.LastIndexOf(')'));
            var fields = stat[(end + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return new(stat[(begin + 1)..end], fields[0][0], int.Parse(fields[1], CultureInfo.InvariantCulture));
        }
        catch (IOException)
        {
            return null; // It has ended.
        }
    }
}
