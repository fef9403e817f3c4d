using System.Diagnostics;
using System.Runtime.InteropServices;

namespace LoadTesting.Core.Load;

/// <summary>
/// Waits on the calling thread for a Stopwatch timestamp: a wakeable wait in whole milliseconds, a short sleep of the operating system
/// for the rest, and a spin of some ten microseconds at the end. A millisecond-grained wait alone would spin away half a core at 1,000/s.
/// </summary>
internal sealed class PreciseWait(object gate, Func<bool> isStopped)
{
    private static readonly long s_coarse = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(2));
    private static readonly long s_spin = StopwatchTime.FromTimeSpan(TimeSpan.FromMicroseconds(80));
    private static readonly bool s_hasNanosleep = !OperatingSystem.IsWindows() && nint.Size == sizeof(long);

    /// <summary>True when <paramref name="timestamp"/> has come; false when stopped before it, which pulses <c>gate</c>.</summary>
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
            else if (remaining > s_spin && s_hasNanosleep)
            {
                Nanosleep(remaining - s_spin);
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

    // Ends early on a signal; the loop around it then waits for the rest.
    private static void Nanosleep(long ticks)
    {
        var request = new Timespec(0, (nint)StopwatchTime.ToNanoseconds(ticks));
        _ = NativeNanosleep(in request, 0);
    }

    [DllImport("libc", EntryPoint = "nanosleep", SetLastError = false)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeNanosleep(in Timespec request, nint remaining);

    /// <summary>The C structure of a 64-bit system; the rest of a wait is under two milliseconds, so the seconds stay zero.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Timespec(nint Seconds, nint Nanoseconds);
}
