namespace LoadTesting.Core.Load;

/// <summary>
/// One value for each second in a bounded number: when there are too many, neighbours are merged and each stands for twice the time.
/// Not safe for concurrent writers.
/// </summary>
internal sealed class SecondSlots<T>(Func<T> create, Action<T, T> mergeInto)
    where T : class
{
    private readonly List<T?> _slots = [];
    private int _shift;

    /// <summary>Seconds that a slot stands for.</summary>
    internal long SecondsEach => 1L << _shift;

    internal int Count => _slots.Count;

    /// <summary>The slot at that place; null where nothing was recorded, or there is none.</summary>
    internal T? this[int index] => index < _slots.Count ? _slots[index] : null;

    /// <summary>The slot of a second from 0; one before it counts as the first.</summary>
    internal T At(long second)
    {
        second = Math.Max(0, second);
        while (second >> _shift >= TimelineResult.MostPoints)
        {
            MergeNeighbours();
        }

        var index = (int)(second >> _shift);
        while (_slots.Count <= index)
        {
            _slots.Add(null);
        }

        return _slots[index] ??= create();
    }

    private void MergeNeighbours()
    {
        for (var i = 0; i < _slots.Count; i += 2)
        {
            var (first, second) = (_slots[i], i + 1 < _slots.Count ? _slots[i + 1] : null);
            if (first is not null && second is not null)
            {
                mergeInto(first, second);
            }

            _slots[i / 2] = first ?? second;
        }

        _slots.RemoveRange((_slots.Count + 1) / 2, _slots.Count / 2);
        _shift++;
    }
}

/// <summary>What happened in one interval.</summary>
internal sealed class TimelineSlot
{
    // More than are shown, so that the frequent ones of merged intervals are among them.
    private const int KeptErrors = 20;

    public long Started { get; set; }
    public long Failed { get; set; }
    public long Refused { get; set; }
    public long Dropped { get; set; }
    public long Unknown { get; set; }

    /// <summary>Of what completed.</summary>
    public LatencyHistogram Latency { get; init; } = new();
    public LatencyHistogram Lag { get; } = new();

    /// <summary>What failed, by code and message; null where nothing did.</summary>
    internal Dictionary<string, long>? Errors { get; private set; }

    internal void AddErrors(IEnumerable<KeyValuePair<string, long>> errors)
    {
        foreach (var (name, count) in errors)
        {
            Errors ??= new Dictionary<string, long>(StringComparer.Ordinal);
            var isNamed = Errors.Count < KeptErrors || Errors.ContainsKey(name);
            CollectionsMarshal.GetValueRefOrAddDefault(Errors, isNamed ? name : TimelinePoint.OtherErrors, out _) += count;
        }
    }

    /// <summary>The most frequent, and the sum of the others.</summary>
    internal Dictionary<string, long>? FrequentErrors()
    {
        if (Errors is null)
        {
            return null;
        }

        var byCount = Errors.Where(error => error.Key != TimelinePoint.OtherErrors).OrderByDescending(error => error.Value)
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

/// <summary>What happened to a scenario's iterations, or its operations, by the second. Not safe for concurrent writers.</summary>
internal sealed class Timeline
{
    private readonly SecondSlots<TimelineSlot> _slots = new(() => new TimelineSlot(), TimelineSlot.MergeInto);

    /// <summary>When it begins, in Stopwatch ticks.</summary>
    internal long Origin { get; set; }

    /// <summary>The slot of that moment.</summary>
    internal TimelineSlot At(long timestamp) => _slots.At((timestamp - Origin) / Stopwatch.Frequency);

    /// <param name="schedule">Where schedule lag is known; null or this where nobody else knows it.</param>
    /// <param name="samples">What was sampled meanwhile; null where nothing was.</param>
    /// <param name="keepsHistograms">Whether each point has all of its latencies, so that timelines can be added up.</param>
    internal TimelineResult ToResult(Timeline? schedule, LoadSamples? samples, bool keepsHistograms = false)
    {
        var ticksEach = _slots.SecondsEach * Stopwatch.Frequency;
        var points = new TimelinePoint[_slots.Count];
        var inFlight = 0L;
        for (var index = 0; index < points.Length; index++)
        {
            var slot = _slots[index] ?? new TimelineSlot();
            inFlight += slot.Started - slot.Latency.Count - slot.Failed;
            var from = Origin + (index * ticksEach);
            points[index] = Point(slot, (schedule ?? this).SlotBetween(from, from + ticksEach)?.Lag) with
            {
                TMs = index * _slots.SecondsEach * 1000,
                InFlight = inFlight,
                Histogram = keepsHistograms && slot.Latency.Count > 0 ? slot.Latency.ToSparseString() : null,
                Errors = (schedule ?? this).SlotBetween(from, from + ticksEach)?.FrequentErrors(),
                PoolDelayP99Ms = samples?.PoolDelayP99Ms(from, from + ticksEach),
                Cpu = samples?.CpuBetween(from, from + ticksEach),
                Backlog = samples?.BacklogAt(from, from + ticksEach),
                Waits = samples?.WaitsBetween(from, from + ticksEach),
                Metrics = samples?.MetricsWithin(from, from + ticksEach),
            };
        }

        return new TimelineResult { IntervalMs = _slots.SecondsEach * 1000, Points = points };
    }

    /// <summary>Adds what never started, by when it should have: as much as <paramref name="atMost"/>, the first ones first.</summary>
    /// <returns>How many of that were not there.</returns>
    internal long AddDropped(Timeline of, long atMost)
    {
        for (var index = 0; index < of._slots.Count && atMost > 0; index++)
        {
            var dropped = Math.Min(of._slots[index]?.Dropped ?? 0, atMost);
            if (dropped > 0)
            {
                At(of.Origin + (index * of._slots.SecondsEach * Stopwatch.Frequency)).Dropped += dropped;
                atMost -= dropped;
            }
        }

        return atMost;
    }

    private static TimelinePoint Point(TimelineSlot slot, LatencyHistogram? lag) => new()
    {
        TMs = 0,
        Started = slot.Started,
        Completed = slot.Latency.Count,
        Failed = slot.Failed,
        Refused = slot.Refused,
        Dropped = slot.Dropped,
        Unknown = slot.Unknown,
        P50Ms = Percentile(slot.Latency, 50),
        P95Ms = Percentile(slot.Latency, 95),
        P99Ms = Percentile(slot.Latency, 99),
        MaxMs = Percentile(slot.Latency, 100),
        Latencies = CoarseLatencies.Of(slot.Latency),
        ScheduleLagP99Ms = lag is null ? null : Percentile(lag, 99),
    };

    private TimelineSlot? SlotBetween(long from, long to)
    {
        var middle = (((from + to) / 2) - Origin) / Stopwatch.Frequency / _slots.SecondsEach;
        return middle < 0 ? null : _slots[(int)middle];
    }

    private static double? Percentile(LatencyHistogram histogram, double percentile) =>
        histogram.Count == 0 ? null : histogram.PercentileMs(percentile);
}
