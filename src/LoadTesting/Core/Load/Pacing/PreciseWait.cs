namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// Waits on the calling thread for a Stopwatch timestamp: an interruptible wait in whole milliseconds, then a sleep of
/// the operating system for the rest. It sleeps for at least 200 us, so that arrivals in quick succession are started
/// together, at most that late. Spinning would burn a core, and a wait in whole milliseconds would be up to one late.
/// </summary>
internal sealed class PreciseWait(object gate, Func<bool> isStopped)
{
    private const int SetTimerSlack = 29;

    private static readonly long s_coarse = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(2));
    private static readonly long s_quantum = StopwatchTime.FromTimeSpan(TimeSpan.FromMicroseconds(200));
    private static readonly bool s_hasNanosleep = !OperatingSystem.IsWindows() && nint.Size == sizeof(long);

    [ThreadStatic]
    private static bool t_isExact;

    /// <summary>
    /// True when <paramref name="timestamp"/> has passed; false if stopped before, which pulses <c>gate</c>.
    /// </summary>
    internal bool Until(long timestamp)
    {
        while (!isStopped())
        {
            var remaining = timestamp - Stopwatch.GetTimestamp();
            if (remaining <= 0)
            {
                return true;
            }

            if (remaining > s_coarse)
            {
                WaitCoarsely(remaining - s_coarse);
            }
            else if (s_hasNanosleep)
            {
                Nanosleep(Math.Max(remaining, s_quantum));
            }
            else
            {
                Thread.SpinWait(20);
            }
        }

        return false;
    }

    private void WaitCoarsely(long ticks)
    {
        lock (gate)
        {
            if (!isStopped())
            {
                Monitor.Wait(gate, Math.Max(1, (int)Math.Min(StopwatchTime.ToMilliseconds(ticks), int.MaxValue)));
            }
        }
    }

    // A signal ends the sleep early; the surrounding loop waits for the rest.
    private static void Nanosleep(long ticks)
    {
        if (!t_isExact)
        {
            // By default Linux may extend sleeps by 50 us to wake several threads together.
            _ = OperatingSystem.IsLinux() ? NativePrctl(SetTimerSlack, 1, 0, 0, 0) : 0;
            t_isExact = true;
        }

        var request = new Timespec(0, (nint)StopwatchTime.ToNanoseconds(ticks));
        _ = NativeNanosleep(in request, 0);
    }

    [DllImport("libc", EntryPoint = "prctl", SetLastError = false)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativePrctl(int option, nuint nanoseconds, nuint unused3, nuint unused4, nuint unused5);

    [DllImport("libc", EntryPoint = "nanosleep", SetLastError = false)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeNanosleep(in Timespec request, nint remaining);

    /// <summary>
    /// The C structure of a 64-bit system; the rest of a wait is under two milliseconds, so the seconds stay zero.
    /// </summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Timespec(nint Seconds, nint Nanoseconds);
}
