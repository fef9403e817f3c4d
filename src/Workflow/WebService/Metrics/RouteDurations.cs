namespace Workflow.WebService.Metrics;

/// <summary>
/// How long the requests of one route took, and how they ended. Counting allocates nothing and takes no lock.
/// </summary>
internal sealed class RouteDurations(string method, string route, double ticksPerSecond)
{
    // From a tenth of a millisecond (memory store, one request at a time) to the longest that a client should wait.
    private static readonly double[] UpperSeconds =
    [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ];
    private static readonly string[] StatusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"];
    private readonly long[] _upperTicks = UpperSeconds.Select(s => (long)(s * ticksPerSecond)).ToArray();
    private readonly long[] _counts = new long[UpperSeconds.Length + 1];
    private readonly long[] _statuses = new long[StatusClasses.Length];
    private long _sumTicks;

    public void Observe(long elapsedTicks, int status)
    {
        var bucket = 0;
        while (bucket < _upperTicks.Length && elapsedTicks > _upperTicks[bucket])
        {
            bucket++;
        }

        Interlocked.Increment(ref _counts[bucket]);
        Interlocked.Add(ref _sumTicks, elapsedTicks);
        Interlocked.Increment(ref _statuses[Math.Clamp((status / 100) - 1, 0, StatusClasses.Length - 1)]);
    }

    public void WriteDurations(MetricsPage page, string name)
    {
        var labels = $"method=\"{method}\",route=\"{route}\"";
        long total = 0;
        for (var i = 0; i < _counts.Length; i++)
        {
            total += Interlocked.Read(ref _counts[i]);
            var upper = i < UpperSeconds.Length ? UpperSeconds[i].ToString(CultureInfo.InvariantCulture) : "+Inf";
            page.Sample(name + "_bucket", $"{labels},le=\"{upper}\"", total);
        }

        page.Sample(name + "_sum", labels, Interlocked.Read(ref _sumTicks) / ticksPerSecond);
        page.Sample(name + "_count", labels, total);
    }

    public void WriteStatuses(MetricsPage page, string name)
    {
        for (var i = 0; i < StatusClasses.Length; i++)
        {
            page.Sample(name, $"method=\"{method}\",route=\"{route}\",status=\"{StatusClasses[i]}\"",
                Interlocked.Read(ref _statuses[i]));
        }
    }
}
