using System.Globalization;

namespace Benchmarks;

/// <summary>
/// How busy the machine is while the benchmark itself does nothing: what others take away from the round that follows. Read from the
/// kernel's counters, so on Linux only.
/// </summary>
internal static class ForeignLoad
{
    private const string CountersFile = "/proc/stat";
    private static readonly TimeSpan SampleLength = TimeSpan.FromMilliseconds(500);

    /// <returns>Busy share of all cores, 0 to 1; null where there are no such counters.</returns>
    public static async Task<double?> ShareAsync(CancellationToken cancellationToken)
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
        var ticks = line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8).Select(t => long.Parse(t, CultureInfo.InvariantCulture)).ToArray();
        var total = ticks.Sum();
        return (total - ticks[Idle] - ticks[IoWait], total);
    }
}
