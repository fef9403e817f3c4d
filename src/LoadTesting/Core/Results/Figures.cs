namespace LoadTesting.Core.Results;

/// <summary>
/// Numbers as people read them: thousands separated, as many decimals as mean something, a dash for what is not there.
/// </summary>
internal static class Figures
{
    public const string Absent = "–";

    /// <summary>Milliseconds, without the unit.</summary>
    public static string Ms(double? value) => value switch
    {
        null => Absent,
        > 0 and < 0.1 => Format(value.Value, "0.000"),
        _ => Format(value.Value, "#,0.00"),
    };

    /// <summary>Anything per second.</summary>
    public static string Rate(double? value) => value switch
    {
        null => Absent,
        >= 1000 => Format(value.Value, "#,0"),
        >= 100 => Format(value.Value, "#,0.0"),
        _ => Format(value.Value, "0.00"),
    };

    public static string Count(long? value) =>
        value is { } count ? count.ToString("#,0", CultureInfo.InvariantCulture) : Absent;

    /// <summary>A share of 0 to 1 as a percentage, with its sign.</summary>
    public static string Percent(double? share) =>
        share is { } value ? Format(value * 100, Math.Abs(value) < 0.1 ? "0.00" : "#,0.0") + " %" : Absent;

    /// <summary>A counter of unknown size: whole numbers whole, small ones with three significant digits.</summary>
    public static string Counter(double? value) => value switch
    {
        null => Absent,
        { } whole when whole == Math.Floor(whole) => Format(whole, "#,0"),
        { } small when Math.Abs(small) < 1 => Format(small, "0.000"),
        _ => Format(value.Value, "#,0.00"),
    };

    /// <summary>A figure whose name carries its unit: bytes are shown in MiB once there are that many.</summary>
    public static string Named(string name, double? value) =>
        name.EndsWith("Bytes", StringComparison.Ordinal) && value >= 1 << 20
            ? $"{name[..^"Bytes".Length]} {Format(value.Value / (1 << 20), "#,0.0")} MiB"
            : $"{name} {Counter(value)}";

    /// <summary>n, then average, p50, p95, p99 and maximum in milliseconds.</summary>
    public static string[] Latency(LatencyResult latency) =>
    [
        Count(latency.N), Ms(latency.AverageMs), Ms(latency.P50Ms), Ms(latency.P95Ms), Ms(latency.P99Ms),
        Ms(latency.MaxMs),
    ];

    /// <summary>Median, p95 and maximum in a sentence.</summary>
    public static string LatencyText(LatencyResult latency) =>
        $"p50 {Ms(latency.P50Ms)} ms, p95 {Ms(latency.P95Ms)} ms, max {Ms(latency.MaxMs)} ms";

    /// <summary>Both ends of a bracket of rates.</summary>
    public static string Bracket(IntervalResult bracket) => $"{Rate(bracket.Low)} .. {Rate(bracket.High)}";

    /// <summary>
    /// fsyncs, commits of one client and of many, their clients, round trip, empty HTTP, transport, one event.
    /// </summary>
    public static string[] Ceilings(CeilingsResult ceilings) =>
    [
        Rate(ceilings.FsyncPerSecond), Rate(ceilings.CommitsPerSecond), Rate(ceilings.ConcurrentCommitsPerSecond),
        Count(ceilings.ConcurrentClients), Ms(ceilings.RoundTripMs), Rate(ceilings.EmptyHttpPerSecond),
        Rate(ceilings.TransportEventsPerSecond), Ms(ceilings.TransportMs),
    ];

    /// <summary>The greatest wait of a backend with its share.</summary>
    public static string TopWait(BackendCounters? backend) =>
        backend?.Waits is [var wait, ..] ? $"{wait.Name} {Percent(wait.Share)}" : Absent;

    public static string Gibibytes(long? bytes) =>
        bytes is { } value ? Format(value / (double)(1L << 30), "0.0") + " GiB" : Absent;

    public static string Utc(DateTimeOffset instant) =>
        instant.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture);

    public static string Word(VerdictOutcome outcome) => outcome switch
    {
        VerdictOutcome.Passed => "passed",
        VerdictOutcome.Failed => "failed",
        _ => "inconclusive",
    };

    public static string Word(HostingKind hosting) => hosting == HostingKind.Http ? "HTTP" : "in process";

    public static string Word(FindingConfidence confidence) => confidence switch
    {
        FindingConfidence.High => "high",
        FindingConfidence.Medium => "medium",
        _ => "low",
    };

    public static string Word(GeneratorState state) => state == GeneratorState.Healthy ? "healthy" : "bound";

    private static string Format(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
