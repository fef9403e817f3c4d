namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Processor time of any process to the nanosecond, by clock_getcpuclockid(3) and clock_gettime(2); the files of /proc
/// have hundredths of a second. Linux of 64 bits only.
/// </summary>
internal static class ProcessClock
{
    /// <summary>
    /// Processor seconds of a process, without those it started; null where its clock cannot be read.
    /// </summary>
    public static double? CpuSeconds(int processId) =>
        OperatingSystem.IsLinux() && Environment.Is64BitProcess
            && NativeClockOf(processId, out var clock) == 0 && NativeTime(clock, out var time) == 0
            ? time.Seconds + (time.Nanoseconds / 1e9)
            : null;

    [DllImport("libc", EntryPoint = "clock_getcpuclockid", SetLastError = false)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeClockOf(int processId, out int clock);

    [DllImport("libc", EntryPoint = "clock_gettime", SetLastError = false)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeTime(int clock, out Timespec time);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Timespec(nint Seconds, nint Nanoseconds);
}
