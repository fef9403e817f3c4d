namespace LoadTesting.Core.Load;

/// <summary>
/// Durations in log-linear buckets: mergeable, at most 1 % error in any percentile, exact minimum, maximum, sum and count.
/// Resolution is one nanosecond, range 0 to 292 years. Memory is some 0.5 kB for each power of two that occurs.
/// Not safe for concurrent writers: record through <see cref="LatencyRecorder"/> from several threads.
/// </summary>
public sealed partial class LatencyHistogram
{
    private const double NanosecondsPerMillisecond = 1_000_000;

    private const long NanosecondsPerTimeSpanTick = 100;

    // Allocated an octave at a time: a latency distribution spans some ten of the fifty-eight.
    private readonly long[]?[] _octaves = new long[]?[BucketLayout.OctaveCount];

    private long _count;
    private long _min = long.MaxValue;
    private long _max;
    private Int128 _sum;

    /// <summary>How many durations were recorded.</summary>
    public long Count => _count;

    /// <summary>Exact smallest duration in milliseconds; NaN when empty, so that a comparison with it is false.</summary>
    public double MinMs => _count == 0 ? double.NaN : _min / NanosecondsPerMillisecond;

    /// <summary>Exact largest duration in milliseconds; NaN when empty.</summary>
    public double MaxMs => _count == 0 ? double.NaN : _max / NanosecondsPerMillisecond;

    /// <summary>Exact sum of all durations in milliseconds; 0 when empty.</summary>
    public double SumMs => (double)_sum / NanosecondsPerMillisecond;

    /// <summary>Exact arithmetic mean in milliseconds; NaN when empty.</summary>
    public double AverageMs => _count == 0 ? double.NaN : (double)_sum / _count / NanosecondsPerMillisecond;

    /// <summary>Adds one duration. A negative one (two clocks read out of order) counts as zero.</summary>
    public void Record(TimeSpan duration) =>
        RecordNanoseconds(Math.Clamp(duration.Ticks, 0, long.MaxValue / NanosecondsPerTimeSpanTick) * NanosecondsPerTimeSpanTick);

    /// <summary>Adds the duration between two <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> values; negative counts as zero.</summary>
    public void RecordStopwatchTicks(long elapsedTicks) => RecordNanoseconds(StopwatchTime.ToNanoseconds(elapsedTicks));

    /// <summary>Adds a duration in nanoseconds; negative counts as zero.</summary>
    public void RecordNanoseconds(long nanoseconds)
    {
        var value = Math.Max(nanoseconds, 0);
        var index = BucketLayout.IndexOf(value);
        (_octaves[index >> BucketLayout.SubBucketBits] ??= new long[BucketLayout.SubBucketCount])[index & (BucketLayout.SubBucketCount - 1)]++;
        _count++;
        _sum += value;
        if (value < _min)
        {
            _min = value;
        }

        if (value > _max)
        {
            _max = value;
        }
    }

    /// <summary>Adds all durations of <paramref name="other"/>; the outcome is the same as if each had been recorded here.</summary>
    public void Merge(LatencyHistogram other)
    {
        ArgumentNullException.ThrowIfNull(other);
        for (var octave = 0; octave < _octaves.Length; octave++)
        {
            if (other._octaves[octave] is { } from)
            {
                var to = _octaves[octave] ??= new long[BucketLayout.SubBucketCount];
                for (var sub = 0; sub < to.Length; sub++)
                {
                    to[sub] += from[sub];
                }
            }
        }

        _count += other._count;
        _sum += other._sum;
        _min = Math.Min(_min, other._min);
        _max = Math.Max(_max, other._max);
    }

    /// <summary>The durations of all <paramref name="parts"/> in one histogram.</summary>
    public static LatencyHistogram MergeAll(IEnumerable<LatencyHistogram> parts)
    {
        ArgumentNullException.ThrowIfNull(parts);
        var whole = new LatencyHistogram();
        foreach (var part in parts)
        {
            whole.Merge(part);
        }

        return whole;
    }

    /// <summary>
    /// The duration in milliseconds that <paramref name="percentile"/> percent of all durations do not exceed (nearest rank), within 1 %
    /// and never outside <see cref="MinMs"/>..<see cref="MaxMs"/>; NaN when empty.
    /// </summary>
    /// <param name="percentile">0 to 100; 0 is the minimum and 100 the maximum, both exact.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="percentile"/> is not from 0 to 100.</exception>
    public double PercentileMs(double percentile)
    {
        if (!(percentile >= 0 && percentile <= 100))
        {
            throw new ArgumentOutOfRangeException(nameof(percentile), percentile, $"A percentile is from 0 to 100; {percentile} is not.");
        }

        return _count == 0 ? double.NaN : PercentileNanoseconds(percentile) / NanosecondsPerMillisecond;
    }

    /// <summary>As <see cref="PercentileMs"/>, in whole nanoseconds; 0 when empty.</summary>
    internal long PercentileNanoseconds(double percentile)
    {
        if (_count == 0 || percentile == 0)
        {
            return _count == 0 ? 0 : _min;
        }

        var rank = Math.Clamp((long)Math.Ceiling(percentile / 100 * _count), 1, _count);
        return rank == _count ? _max : Math.Clamp(MidpointOfRank(rank), _min, _max);
    }

    /// <summary>How many durations were at most <paramref name="limitMs"/> milliseconds, to the resolution of a bucket (1.6 %).</summary>
    public long CountAtOrBelow(double limitMs) => Buckets().TakeWhile(bucket => bucket.LowMs <= limitMs).Sum(bucket => bucket.Count);

    /// <summary>The non-empty buckets in ascending order.</summary>
    public IEnumerable<HistogramBucket> Buckets() => NonEmpty().Select(bucket => new HistogramBucket(
        BucketLayout.LowerBound(bucket.Index) / NanosecondsPerMillisecond,
        BucketLayout.UpperBound(bucket.Index) / NanosecondsPerMillisecond,
        bucket.Count));

    private long MidpointOfRank(long rank)
    {
        var seen = 0L;
        foreach (var (index, count) in NonEmpty())
        {
            seen += count;
            if (seen >= rank)
            {
                return BucketLayout.Midpoint(index);
            }
        }

        return _max;
    }

    private IEnumerable<(int Index, long Count)> NonEmpty()
    {
        for (var octave = 0; octave < _octaves.Length; octave++)
        {
            if (_octaves[octave] is not { } counts)
            {
                continue;
            }

            for (var sub = 0; sub < counts.Length; sub++)
            {
                if (counts[sub] != 0)
                {
                    yield return ((octave << BucketLayout.SubBucketBits) + sub, counts[sub]);
                }
            }
        }
    }
}
