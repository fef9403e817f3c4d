namespace LoadTesting;

/// <summary>Units of times and sizes. A kB is 1,024 bytes.</summary>
public static class Converter
{
    public static double FromMicroSecToMs(double microSec) => microSec / 1000;
    public static int FromMsToMicroSec(double ms) => (int)(ms * 1000);
    public static double FromBytesToKb(long bytes) => Math.Round(bytes / 1024.0, 3);
    public static double FromBytesToMb(long bytes) => Math.Round(bytes / 1024.0 / 1024.0, 4);
}
