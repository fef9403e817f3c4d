namespace LoadTesting;

/// <summary>Sizes in bytes. A kB is 1,024 bytes.</summary>
public static class Bytes
{
    private const long Step = 1024;

    public static long FromKb(long kb) => kb * Step;
    public static long FromMb(long mb) => mb * Step * Step;
    public static long FromGb(long gb) => gb * Step * Step * Step;
}
