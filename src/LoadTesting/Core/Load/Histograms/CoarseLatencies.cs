namespace LoadTesting.Core.Load.Histograms;

/// <summary>
/// Latencies of an interval as text, in logarithmic buckets of a tenth of a decade: enough for a heat map, in about 30
/// characters where a <see cref="LatencyHistogram"/> needs hundreds. <c>30:5,120,,3</c>: 5 from 1 ms to 1.26 ms, 120 to
/// 1.58 ms, none, then 3.
/// </summary>
public static class CoarseLatencies
{
    /// <summary>Number of buckets: the first contains all below 1.26 µs, the last all above 2.2 hours.</summary>
    public const int Count = 100;

    private const int BucketsPerDecade = 10;

    private const double MicrosecondsPerMillisecond = 1000;

    /// <summary>Lower bound of a bucket, milliseconds.</summary>
    public static double FromMs(int bucket) =>
        Math.Pow(10, (double)bucket / BucketsPerDecade) / MicrosecondsPerMillisecond;

    /// <summary>The text of a histogram; null if it is empty.</summary>
    public static string? Of(LatencyHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        var counts = new long[Count];
        foreach (var bucket in histogram.Buckets())
        {
            counts[At((bucket.LowMs + bucket.HighMs) / 2)] += bucket.Count;
        }

        var first = Array.FindIndex(counts, count => count > 0);
        var last = Array.FindLastIndex(counts, count => count > 0);
        return first < 0
            ? null
            : Invariant.Text($"{first}:")
                + string.Join(
                    ',', counts[first..(last + 1)].Select(count => count == 0 ? "" : Invariant.Text($"{count}")));
    }

    /// <summary>The counts of all <see cref="Count"/> buckets.</summary>
    /// <exception cref="FormatException">The text has another format; the message quotes it.</exception>
    public static IReadOnlyList<long> Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var counts = new long[Count];
        var parts = text.Split(':');
        var given = parts.Length == 2 ? parts[1].Split(',') : [];
        if (parts.Length != 2 || !int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var first)
            || first + given.Length > Count)
        {
            throw Wrong(text);
        }

        for (var index = 0; index < given.Length; index++)
        {
            if (given[index].Length > 0
                && !long.TryParse(
                    given[index], NumberStyles.None, CultureInfo.InvariantCulture, out counts[first + index]))
            {
                throw Wrong(text);
            }
        }

        return counts;
    }

    private static int At(double ms) =>
        ms <= 0
            ? 0
            : (int)Math.Clamp(Math.Floor(BucketsPerDecade * Math.Log10(ms * MicrosecondsPerMillisecond)), 0, Count - 1);

    private static FormatException Wrong(string text) => new(
        $"Latencies of an interval are a first bucket of 0 to {Count - 1} and counts, as in '30:5,120,,3'; this is "
        + $"'{(text.Length <= 40 ? text : text[..40] + "...")}'.");
}
