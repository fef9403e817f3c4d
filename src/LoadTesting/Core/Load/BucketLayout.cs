using System.Numerics;

namespace LoadTesting.Core.Load;

/// <summary>
/// Log-linear bucket boundaries: every power of two ("octave") is cut into 64 equal buckets, so that a bucket is at most 1/64 of its
/// lower bound wide and its midpoint is at most 1/128 (0.79 %) away from any value in it. Values below 128 have a bucket each.
/// Same principle as G. Tene's HdrHistogram, with fixed precision.
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
