namespace LoadTesting.Core.Load.Timelines;

/// <summary>Counts and latencies of one interval.</summary>
internal sealed class TimelineSlot
{
    // More than are shown, so that the most frequent errors of merged intervals are included.
    private const int KeptErrors = 20;

    public long Started { get; set; }
    public long Failed { get; set; }
    public long Refused { get; set; }
    public long Dropped { get; set; }
    public long Unknown { get; set; }

    /// <summary>Latencies of completed operations.</summary>
    public LatencyHistogram Latency { get; init; } = new();
    public LatencyHistogram Lag { get; } = new();

    /// <summary>Failures by code and message; null if there are none.</summary>
    internal Dictionary<string, long>? Errors { get; private set; }

    internal void AddErrors(IEnumerable<KeyValuePair<string, long>> errors)
    {
        foreach (var (name, count) in errors)
        {
            Errors ??= new Dictionary<string, long>(StringComparer.Ordinal);
            var isNamed = Errors.Count < KeptErrors || Errors.ContainsKey(name);
            var key = isNamed ? name : TimelinePoint.OtherErrors;
            CollectionsMarshal.GetValueRefOrAddDefault(Errors, key, out _) += count;
        }
    }

    /// <summary>The most frequent errors, and the sum of all others.</summary>
    internal Dictionary<string, long>? FrequentErrors()
    {
        if (Errors is null)
        {
            return null;
        }

        var byCount = Errors.Where(error => error.Key != TimelinePoint.OtherErrors)
            .OrderByDescending(error => error.Value)
            .ThenBy(error => error.Key, StringComparer.Ordinal).ToList();
        var named = byCount.Take(TimelinePoint.MostErrors).ToDictionary(error => error.Key, error => error.Value);
        var others = Errors.Values.Sum() - named.Values.Sum();
        return others == 0 ? named : new(named) { [TimelinePoint.OtherErrors] = others };
    }

    internal static void MergeInto(TimelineSlot slot, TimelineSlot other)
    {
        slot.AddErrors(other.Errors ?? []);
        slot.Started += other.Started;
        slot.Failed += other.Failed;
        slot.Refused += other.Refused;
        slot.Dropped += other.Dropped;
        slot.Unknown += other.Unknown;
        slot.Latency.Merge(other.Latency);
        slot.Lag.Merge(other.Lag);
    }
}
