using System.Globalization;
using System.Text;

namespace LoadTesting.Core.Load;

/// <content>The sparse text form, for results and baselines.</content>
public sealed partial class LatencyHistogram
{
    private const string FormatVersion = "llh1";

    private const int FieldCount = 6;

    /// <summary>
    /// The whole histogram as one line that <see cref="Parse"/> reads back without loss:
    /// <c>llh1;6;min;max;sum;gap:count,gap:count,...</c>. Times are nanoseconds, 6 is the number of sub-bucket bits, each gap is the
    /// distance in buckets to the entry before, and <c>:1</c> is left out. Empty: <c>llh1;6;0;0;0;</c>.
    /// </summary>
    public string ToSparseString()
    {
        var text = new StringBuilder(64);
        text.Append(CultureInfo.InvariantCulture, $"{FormatVersion};{BucketLayout.SubBucketBits};{(_count == 0 ? 0 : _min)};{_max};{_sum};");
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
    /// <exception cref="FormatException">The text is not such a line, is of another version, or contradicts itself; the message quotes
    /// the part that is wrong.</exception>
    public static LatencyHistogram Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var fields = text.Split(';');
        if (fields[0] != FormatVersion)
        {
            throw new FormatException($"A histogram starts with '{FormatVersion};', this one with '{Excerpt(text)}': it was written by another version, or is no histogram.");
        }

        if (fields.Length != FieldCount)
        {
            throw new FormatException($"A histogram has {FieldCount} fields separated by ';', this one has {fields.Length}: '{Excerpt(text)}'.");
        }

        if (fields[1] != BucketLayout.SubBucketBits.ToString(CultureInfo.InvariantCulture))
        {
            throw new FormatException($"The histogram has '{Excerpt(fields[1])}' sub-bucket bits; this version reads {BucketLayout.SubBucketBits}.");
        }

        var histogram = new LatencyHistogram();
        histogram.ReadBuckets(fields[5]);
        histogram.ReadExactValues(ParseLong(fields[2], "minimum"), ParseLong(fields[3], "maximum"), ParseSum(fields[4]));
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
                throw new FormatException($"The histogram entry '{Excerpt(entry)}' is impossible: buckets ascend and each count is at least 1.");
            }

            index += gap;
            if (index >= BucketLayout.IndexCount)
            {
                throw new FormatException($"The histogram entry '{Excerpt(entry)}' leads to bucket {index}; the last one is {BucketLayout.IndexCount - 1}.");
            }

            (_octaves[index >> BucketLayout.SubBucketBits] ??= new long[BucketLayout.SubBucketCount])[index & (BucketLayout.SubBucketCount - 1)] = count;
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
                throw new FormatException($"The histogram has no entries, yet minimum {min}, maximum {max} and sum {sum}.");
            }

            return;
        }

        var first = BucketLayout.IndexOf(min);
        if (first != NonEmpty().First().Index || BucketLayout.IndexOf(max) != NonEmpty().Last().Index || min > max)
        {
            throw new FormatException($"The histogram's minimum {min} or maximum {max} lies outside its first or last bucket.");
        }

        if (sum < (Int128)min * _count || sum > (Int128)max * _count)
        {
            throw new FormatException($"The histogram's sum {sum} is impossible for {_count} values from {min} to {max}.");
        }

        (_min, _max, _sum) = (min, max, sum);
    }

    private static long ParseLong(string text, string what) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The histogram's {what} '{Excerpt(text)}' is not a whole number from 0 to {long.MaxValue}.");

    private static Int128 ParseSum(string text) =>
        Int128.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The histogram's sum '{Excerpt(text)}' is not a whole number of at least 0.");

    private static string Excerpt(string text) => text.Length <= 40 ? text : text[..40] + "...";
}
