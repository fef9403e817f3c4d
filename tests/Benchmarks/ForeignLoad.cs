namespace Benchmarks;

/// <summary>
/// How busy the machine is while the benchmark itself does nothing: what others take away from the round that follows. Read from the
/// kernel's counters, so on Linux only.
/// </summary>
internal static class ForeignLoad
{
    private const string CountersFile = "/proc/stat";
    private const double QuietShare = 0.15;
    private static readonly TimeSpan SampleLength = TimeSpan.FromMilliseconds(500);

    /// <summary>Returns once at most 15 % of the machine is in use, or when the limit has passed.</summary>
    /// <param name="limit">How long to wait; zero: not at all.</param>
    /// <param name="cancellationToken">Ends the wait with an exception.</param>
    /// <returns>Busy share of all cores at the end, 0 to 1; null where it is not known.</returns>
    public static async Task<double?> WaitForQuietAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        double? share;
        do
        {
            share = await ShareAsync(cancellationToken);
        }
        while (share > QuietShare && Stopwatch.GetElapsedTime(since) < limit);
        return share;
    }

    /// <returns>Busy share of all cores, 0 to 1; null where there are no such counters.</returns>
    private static async Task<double?> ShareAsync(CancellationToken cancellationToken)
    {
        if (!File.Exists(CountersFile))
        {
            return null;
        }

        var (busyBefore, totalBefore) = await ReadAsync(cancellationToken);
        await Task.Delay(SampleLength, cancellationToken);
        var (busy, total) = await ReadAsync(cancellationToken);
        return total == totalBefore ? 0 : (double)(busy - busyBefore) / (total - totalBefore);
    }

    /// <summary>The first line: user nice system idle iowait irq softirq steal; guest time is within user time.</summary>
    private static async Task<(long Busy, long Total)> ReadAsync(CancellationToken cancellationToken)
    {
        const int Idle = 3;
        const int IoWait = 4;
        using var reader = new StreamReader(CountersFile);
        var line = await reader.ReadLineAsync(cancellationToken) ?? "";
        var ticks = line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8)
            .Select(t => long.Parse(t, CultureInfo.InvariantCulture)).ToArray();
        var total = ticks.Sum();
        return (total - ticks[Idle] - ticks[IoWait], total);
    }
}
