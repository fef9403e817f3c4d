namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// The account that the Linux kernel keeps of a process' control group, of version 1 or 2. It is read at once, where an
/// engine answers from a reading of its own that may be a second away.
/// </summary>
/// <param name="root">Root of the file system, so that a test can lay out another one.</param>
internal sealed class ControlGroup(string root = "/")
{
    private const double NanosecondsPerSecond = 1e9;
    private const double MicrosecondsPerSecond = 1e6;

    /// <summary>What the group of a process has used; null if the kernel does not show it.</summary>
    /// <param name="process">A process of the group, in the numbering of this process.</param>
    public ContainerUsage? Read(int process)
    {
        try
        {
            var groups =
                File.ReadAllLines(Path.Combine(root, "proc", process.ToString(CultureInfo.InvariantCulture), "cgroup"))
                .Select(line => line.Split(':', 3))
                .Where(parts => parts.Length == 3)
                .ToList();
            return OfVersion1(groups) ?? OfVersion2(groups);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null; // The engine is asked instead.
        }
    }

    private ContainerUsage? OfVersion1(List<string[]> groups)
    {
        if (Of("cpuacct") is not { } cpu || Of("memory") is not { } memory)
        {
            return null;
        }

        var used = Number(File.ReadAllText(Path.Combine(cpu, "cpuacct.usage"))) / NanosecondsPerSecond;
        return new(
            used,
            Number(File.ReadAllText(Path.Combine(memory, "memory.usage_in_bytes")))
                - Field(memory, "memory.stat", "total_inactive_file"));

        string? Of(string controller) =>
            groups.Find(parts => parts[1].Split(',').Contains(controller)) is [_, var controllers, var path]
            ? Path.Combine(root, "sys/fs/cgroup", controllers, path.TrimStart('/'))
            : null;
    }

    private ContainerUsage? OfVersion2(List<string[]> groups)
    {
        if (groups.Find(parts => parts[1].Length == 0) is not [_, _, var path])
        {
            return null;
        }

        var group = Path.Combine(root, "sys/fs/cgroup", path.TrimStart('/'));
        var used = Field(group, "cpu.stat", "usage_usec") / MicrosecondsPerSecond;
        return new(
            used, Number(File.ReadAllText(Path.Combine(group, "memory.current")))
                - Field(group, "memory.stat", "inactive_file"));
    }

    private static long Field(string group, string file, string name)
    {
        var line = File.ReadLines(Path.Combine(group, file))
            .FirstOrDefault(line => line.StartsWith(name + " ", StringComparison.Ordinal));
        return line is null ? throw new IOException($"{file} has no {name}.") : Number(line[(name.Length + 1)..]);
    }

    private static long Number(string text) =>
        long.TryParse(text, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new IOException($"'{text.Trim()}' is not a number.");
}
