namespace LoadTesting.Core.Http.Streams;

/// <summary>
/// Checks the operating system's limits for many streams: open files and local ports. Linux only; elsewhere nothing is
/// checked.
/// </summary>
/// <param name="root">Root of the file system, for tests.</param>
public sealed class StreamLimits(string root = "/")
{
    /// <summary>Reserve for other files and ports of a process.</summary>
    private const int Others = 512;

    /// <summary>
    /// Checks that this process, and a service on the same machine, can open a number of streams to one address.
    /// </summary>
    /// <exception cref="InvalidOperationException">A limit is too low; the message lists all of them with the commands
    /// that raise them.</exception>
    public void Check(int clients)
    {
        var wrong = Violations(clients);
        if (wrong.Count > 0)
        {
            throw new InvalidOperationException(string.Join(Environment.NewLine, wrong));
        }
    }

    /// <summary>The limits that are too low for a number of streams; empty if all are sufficient.</summary>
    public IReadOnlyList<string> Violations(int clients)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(clients, 1);
        var wrong = new List<string>();
        var needed = clients + Others;
        if (OpenFiles() is { } files && files < needed)
        {
            wrong.Add(
                Invariant.Text(
                    $"{clients} event streams need {needed} open files in this process and in the service's, and ")
                + Invariant.Text($"the limit is {files}. Raise it in the shell that starts the run: ulimit -n {needed} (beyond the hard ")
                + Invariant.Text(
                    $"limit as root, or by 'nofile' in /etc/security/limits.conf); or ask for at most {Most(files)}."));
        }

        if (Ports() is var (first, last) && last - first + 1 < needed)
        {
            var ports = last - first + 1;
            wrong.Add(
                Invariant.Text(
                    $"{clients} event streams to one address need {needed} local ports, and there are {ports}, ")
                + Invariant.Text($"{first} to {last}. Widen the range: sudo sysctl -w net.ipv4.ip_local_port_range=\"")
                + Invariant.Text(
                    $"{Math.Max(1_024, 65_535 - needed - Others)} 65535\"; or ask for at most {Most(ports)}."));
        }

        return wrong;
    }

    private static long Most(long allowed) => Math.Max(0, allowed - Others);

    /// <summary>
    /// The limit of open files, which the runtime raises to the hard limit at start; null if unknown or unlimited.
    /// </summary>
    private long? OpenFiles() =>
        Array.Find(Lines("proc/self/limits"),
            line => line.StartsWith("Max open files", StringComparison.Ordinal)) is { } line
        && long.TryParse(Fields(line)[3], NumberStyles.None, CultureInfo.InvariantCulture, out var soft) ? soft : null;

    private (long First, long Last)? Ports() =>
        Lines("proc/sys/net/ipv4/ip_local_port_range").FirstOrDefault() is { } line
            && Fields(line) is [var first, var last]
            ? (long.Parse(first, CultureInfo.InvariantCulture), long.Parse(last, CultureInfo.InvariantCulture))
            : null;

    private static string[] Fields(string line) =>
        line.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);

    private string[] Lines(string path)
    {
        var file = Path.Combine(root, path);
        return File.Exists(file) ? File.ReadAllLines(file) : [];
    }
}
