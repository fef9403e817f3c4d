namespace LoadTesting.Core.Load;

/// <summary>Conversions between <see cref="Stopwatch"/> timestamps and durations.</summary>
internal static class StopwatchTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private static readonly double s_nanosecondsPerTick = (double)NanosecondsPerSecond / Stopwatch.Frequency;

    private static readonly double s_ticksPerTimeSpanTick = (double)Stopwatch.Frequency / TimeSpan.TicksPerSecond;

    internal static long ToNanoseconds(long stopwatchTicks) =>
        Stopwatch.Frequency == NanosecondsPerSecond ? stopwatchTicks : (long)(stopwatchTicks * s_nanosecondsPerTick);

    internal static long FromTimeSpan(TimeSpan duration) => (long)(duration.Ticks * s_ticksPerTimeSpanTick);

    internal static TimeSpan ToTimeSpan(long stopwatchTicks) => new((long)(stopwatchTicks / s_ticksPerTimeSpanTick));

    internal static double ToMilliseconds(long stopwatchTicks) => stopwatchTicks * (1_000.0 / Stopwatch.Frequency);
}
