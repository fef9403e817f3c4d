using LoadTesting.Core.Load.Watches;

namespace Benchmarks;

/// <summary>
/// How busy the machine is while the benchmark itself does nothing: what others take away from the round that follows.
/// Known on Linux only.
/// </summary>
internal static class ForeignLoad
{
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
        var machine = ProcessFiles.OfMachine;
        if (!machine.Exists)
        {
            return null;
        }

        var (before, began) = (machine.MachineCpuSeconds(), Stopwatch.GetTimestamp());
        await Task.Delay(SampleLength, cancellationToken);
        var used = machine.MachineCpuSeconds() - before;
        return Math.Min(1, used / Stopwatch.GetElapsedTime(began).TotalSeconds / Environment.ProcessorCount);
    }
}
