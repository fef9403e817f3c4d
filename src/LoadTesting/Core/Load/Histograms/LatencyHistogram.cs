using System.Numerics;

namespace LoadTesting.Core.Load.Histograms;

/// <summary>
/// Durations in log-linear buckets: mergeable, at most 1 % error in any percentile, exact minimum, maximum, sum and
/// count. Resolution is one nanosecond, range 0 to 292 years. Memory is some 0.5 kB for each power of two that occurs.
/// Not safe for concurrent writers: record through <see cref="LatencyRecorder"/> from several threads.
/// </summary>
public sealed class LatencyHistogram
{
    private const double NanosecondsPerMillisecond = 1_000_000;

    private const long NanosecondsPerTimeSpanTick = 100;

    // Allocated an octave at a time: a latency distribution spans some ten of the fifty-eight.
    private readonly long[]?[] _octaves = new long[]?[BucketLayout.OctaveCount];

    private long _count;
    private long _min = long.MaxValue;
    private long _max;
    private Int128 _sum;

    public long Count => _count;

    /// <summary>
    /// Exact smallest duration in milliseconds; NaN when empty, so that a comparison with it is false.
    /// </summary>
    public double MinMs => _count == 0 ? double.NaN : _min / NanosecondsPerMillisecond;

    /// <summary>Exact largest duration in milliseconds; NaN when empty.</summary>
    public double MaxMs => _count == 0 ? double.NaN : _max / NanosecondsPerMillisecond;

    /// <summary>Exact sum of all durations in milliseconds; 0 when empty.</summary>
    public double SumMs => (double)_sum / NanosecondsPerMillisecond;

    /// <summary>Exact arithmetic mean in milliseconds; NaN when empty.</summary>
    public double AverageMs => _count == 0 ? double.NaN : (double)_sum / _count / NanosecondsPerMillisecond;

    /// <summary>
    /// Standard deviation of all durations in milliseconds, by the middles of their buckets: within 2 % of the mean;
    /// NaN when empty.
    /// </summary>
    public double StandardDeviationMs
    {
        get
        {
            if (_count == 0)
            {
                return double.NaN;
            }

            var mean = (double)_sum / _count;
            var squares =
                NonEmpty().Sum(bucket => bucket.Count * Math.Pow(BucketLayout.Midpoint(bucket.Index) - mean, 2));
            return _min == _max ? 0 : Math.Sqrt(squares / _count) / NanosecondsPerMillisecond;
        }
    }

    /// <summary>Adds one duration. A negative one (two clocks read out of order) counts as zero.</summary>
    public void Record(TimeSpan duration) =>
        RecordNanoseconds(
            Math.Clamp(duration.Ticks, 0, long.MaxValue / NanosecondsPerTimeSpanTick) * NanosecondsPerTimeSpanTick);

    /// <summary>
    /// Adds the duration between two <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> values; negative counts as
    /// zero.
    /// </summary>
    public void RecordStopwatchTicks(long elapsedTicks) => RecordNanoseconds(StopwatchTime.ToNanoseconds(elapsedTicks));

    /// <summary>Adds a duration in nanoseconds; negative counts as zero.</summary>
    public void RecordNanoseconds(long nanoseconds)
    {
        var value = Math.Max(nanoseconds, 0);
        var index = BucketLayout.IndexOf(value);
        (_octaves[index >> BucketLayout.SubBucketBits] ??= new long[BucketLayout.SubBucketCount])[
            index & (BucketLayout.SubBucketCount - 1)]++;
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

    /// <summary>
    /// Adds all durations of <paramref name="other"/>; the outcome is the same as if each had been recorded here.
    /// </summary>
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
    /// The duration in milliseconds that <paramref name="percentile"/> percent of all durations do not exceed (nearest
    /// rank), within 1 % and never outside <see cref="MinMs"/>..<see cref="MaxMs"/>; NaN when empty.
    /// </summary>
    /// <param name="percentile">0 to 100; 0 is the minimum and 100 the maximum, both exact.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="percentile"/> is not from 0 to 100.</exception>
    public double PercentileMs(double percentile)
    {
        if (!(percentile >= 0 && percentile <= 100))
        {
            throw new ArgumentOutOfRangeException(
                nameof(percentile), percentile, $"A percentile is from 0 to 100; {percentile} is not.");
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

        // In decimal: in binary 99.9 percent of 1,000 come to a little more than 999, and would be the maximum.
        var rank = Math.Clamp((long)decimal.Ceiling((decimal)percentile * _count / 100), 1, _count);
        return rank == _count ? _max : Math.Clamp(MidpointOfRank(rank), _min, _max);
    }

    /// <summary>
    /// How many durations were at most <paramref name="limitMs"/> milliseconds, to the resolution of a bucket (1.6 %).
    /// </summary>
    public long CountAtOrBelow(double limitMs) =>
        Buckets().TakeWhile(bucket => bucket.LowMs <= limitMs).Sum(bucket => bucket.Count);

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

    private const string FormatVersion = "llh1";

    private const int FieldCount = 6;

    /// <summary>
    /// The whole histogram as one line that <see cref="Parse"/> reads back without loss:
    /// <c>llh1;6;min;max;sum;gap:count,gap:count,...</c>. Times are nanoseconds, 6 is the number of sub-bucket bits,
    /// each gap is the distance in buckets to the entry before, and <c>:1</c> is left out. Empty: <c>llh1;6;0;0;0;</c>.
    /// </summary>
    public string ToSparseString()
    {
        var text = new StringBuilder(64);
        text.Append(
            CultureInfo.InvariantCulture, $"{FormatVersion};{BucketLayout.SubBucketBits};{(_count == 0 ? 0 : _min)};{_max};{_sum};");
        var previous = 0;
        var separator = "";
        foreach (var (index, count) in NonEmpty())
        {
            text.Append(separator).Append(CultureInfo.InvariantCulture, $"{index - previous}");
            if (count != 1)
            {
                text.Append(CultureInfo.InvariantCulture, $":{count}");
            }

            previous = index;
            separator = ",";
        }

        return text.ToString();
    }

    /// <summary>Reads what <see cref="ToSparseString"/> wrote.</summary>
    /// <exception cref="FormatException">The text is not such a line, is of another version, or contradicts itself; the
    /// message quotes the part that is wrong.</exception>
    public static LatencyHistogram Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var fields = text.Split(';');
        if (fields[0] != FormatVersion)
        {
            throw new FormatException(
                $"A histogram starts with '{FormatVersion};', this one with '{Excerpt(text)}': it was written by "
                    + $"another version, or is not a histogram.");
        }

        if (fields.Length != FieldCount)
        {
            throw new FormatException(
                $"A histogram has {FieldCount} fields separated by ';', this one has "
                    + $"{fields.Length}: '{Excerpt(text)}'.");
        }

        if (fields[1] != BucketLayout.SubBucketBits.ToString(CultureInfo.InvariantCulture))
        {
            throw new FormatException(
                $"The histogram has '{Excerpt(fields[1])}' sub-bucket bits; "
                    + $"this version reads {BucketLayout.SubBucketBits}.");
        }

        var histogram = new LatencyHistogram();
        histogram.ReadBuckets(fields[5]);
        histogram.ReadExactValues(
            ParseLong(fields[2], "minimum"), ParseLong(fields[3], "maximum"), ParseSum(fields[4]));
        return histogram;
    }

    private void ReadBuckets(string list)
    {
        var index = 0L;
        var isFirst = true;
        foreach (var entry in list.Length == 0 ? [] : list.Split(','))
        {
            var colon = entry.IndexOf(':', StringComparison.Ordinal);
            var gap = ParseLong(colon < 0 ? entry : entry[..colon], "bucket gap");
            var count = colon < 0 ? 1 : ParseLong(entry[(colon + 1)..], "bucket count");
            if (count == 0 || (gap == 0 && !isFirst) || gap > BucketLayout.IndexCount || count > long.MaxValue - _count)
            {
                throw new FormatException(
                    $"The histogram entry '{Excerpt(entry)}' is impossible: "
                        + "buckets ascend and each count is at least 1.");
            }

            index += gap;
            if (index >= BucketLayout.IndexCount)
            {
                throw new FormatException(
                    $"The histogram entry '{Excerpt(entry)}' leads to bucket {index}; "
                        + $"the last one is {BucketLayout.IndexCount - 1}.");
            }

            (_octaves[index >> BucketLayout.SubBucketBits] ??= new long[BucketLayout.SubBucketCount])[
                index & (BucketLayout.SubBucketCount - 1)] = count;
            _count += count;
            isFirst = false;
        }
    }

    private void ReadExactValues(long min, long max, Int128 sum)
    {
        if (_count == 0)
        {
            if (min != 0 || max != 0 || sum != 0)
            {
                throw new FormatException(
                    $"The histogram has no entries, yet minimum {min}, maximum {max} and sum {sum}.");
            }

            return;
        }

        var first = BucketLayout.IndexOf(min);
        if (first != NonEmpty().First().Index || BucketLayout.IndexOf(max) != NonEmpty().Last().Index || min > max)
        {
            throw new FormatException(
                $"The histogram's minimum {min} or maximum {max} lies outside its first or last bucket.");
        }

        if (sum < (Int128)min * _count || sum > (Int128)max * _count)
        {
            throw new FormatException(
                $"The histogram's sum {sum} is impossible for {_count} values from {min} to {max}.");
        }

        (_min, _max, _sum) = (min, max, sum);
    }

    private static long ParseLong(string text, string what) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException(
                $"The histogram's {what} '{Excerpt(text)}' is not a whole number from 0 to {long.MaxValue}.");

    private static Int128 ParseSum(string text) =>
        Int128.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The histogram's sum '{Excerpt(text)}' is not a whole number of at least 0.");

    private static string Excerpt(string text) => text.Length <= 40 ? text : text[..40] + "...";
}

/// <summary>
/// Log-linear bucket boundaries: every power of two ("octave") is cut into 64 equal buckets, so that a bucket is at
/// most 1/64 of its lower bound wide and its midpoint is at most 1/128 (0.79 %) away from any value in it. Values below
/// 128 have a bucket each. Same principle as G. Tene's HdrHistogram, with fixed precision.
/// </summary>
internal static class BucketLayout
{
    internal const int SubBucketBits = 6;

    internal const int SubBucketCount = 1 << SubBucketBits;

    /// <summary>Octave 0 holds 0..63, octave k holds 2^(k+5)..2^(k+6)-1; 63-bit values need 58.</summary>
    internal const int OctaveCount = 63 - SubBucketBits + 1;

    internal const int IndexCount = OctaveCount * SubBucketCount;

    internal static int IndexOf(long value)
    {
        if (value < SubBucketCount)
        {
            return (int)value;
        }

        var shift = BitOperations.Log2((ulong)value) - SubBucketBits;
        return ((shift + 1) << SubBucketBits) + (int)((value >> shift) - SubBucketCount);
    }

    internal static long LowerBound(int index)
    {
        var octave = index >> SubBucketBits;
        var sub = index & (SubBucketCount - 1);
        return octave == 0 ? sub : (long)(SubBucketCount + sub) << (octave - 1);
    }

    /// <summary>The largest value of the bucket.</summary>
    internal static long UpperBound(int index)
    {
        var octave = index >> SubBucketBits;
        return octave == 0 ? LowerBound(index) : LowerBound(index) + ((1L << (octave - 1)) - 1);
    }

    internal static long Midpoint(int index)
    {
        var low = LowerBound(index);
        return low + ((UpperBound(index) - low) / 2);
    }
}

/// <summary>
/// One non-empty bucket of a <see cref="LatencyHistogram"/>: durations from <paramref name="LowMs"/> up to and
/// including <paramref name="HighMs"/>.
/// </summary>
/// <param name="LowMs">Smallest duration of the bucket, in milliseconds.</param>
/// <param name="HighMs">Largest duration of the bucket, in milliseconds.</param>
/// <param name="Count">How many durations fell into it; at least 1.</param>
public readonly record struct HistogramBucket(double LowMs, double HighMs, long Count);
