namespace LoadTesting.Core.Results;

/// <summary>
/// The part of a load that one of several processes drove, as its result and the whole that it was merged into have it.
/// </summary>
public sealed record PartResult
{
    /// <summary>Which part, from 1.</summary>
    public required int Index { get; init; }

    /// <summary>How many parts the load has.</summary>
    public required int Of { get; init; }

    /// <summary>The machine that drove it.</summary>
    public required string Host { get; init; }

    /// <summary>
    /// Identity of the assembly that holds the scenario: parts of another build are parts of another load.
    /// </summary>
    public required string Build { get; init; }

    /// <summary>Start of each process of the service, seconds since 1970, by its address.</summary>
    public required IReadOnlyDictionary<string, double> Services { get; init; }

    /// <summary>When its load began, by the service's clock.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>When its load had ended, by the service's clock.</summary>
    public required DateTimeOffset EndedUtc { get; init; }

    /// <summary>The service's clock less that of the part's machine, right before the load, milliseconds.</summary>
    public required double ClockOffsetMs { get; init; }

    /// <summary>What that is known to within: half of the round trip that read it, milliseconds.</summary>
    public required double ClockErrorMs { get; init; }

    /// <summary>
    /// What the service must have counted for this part; empty for one of several scenarios that ran at the same time.
    /// </summary>
    public IReadOnlyList<PartCount> Counts { get; init; } = [];

    /// <summary>
    /// What this part found by itself. It is no verdict: thresholds and the service's account are judged on the whole.
    /// </summary>
    public required VerdictResult Found { get; init; }

    public override string ToString() => $"part {Index}/{Of}";
}

/// <summary>
/// A count of the service, and what a part accounts for of it: its operations, those of the warm-up among them.
/// </summary>
/// <param name="Name">What is counted, in a word: <see cref="Started"/> or <see cref="Completed"/>.</param>
/// <param name="Metric">The service's own count of it, on its page <c>/metrics</c>.</param>
/// <param name="Less">A metric that is subtracted; null if none is.</param>
/// <param name="Before">The count before this part's warm-up, the sum over all processes of the service.</param>
/// <param name="Least">What the part knows to be counted.</param>
/// <param name="Most">That, and the operations whose answer was lost.</param>
public sealed record PartCount(string Name, string Metric, string? Less, double Before, long Least, long Most)
{
    public const string Started = "started";
    public const string Completed = "completed";

    /// <summary>What the service has counted by now.</summary>
    /// <param name="pages">The metrics of each of its processes.</param>
    /// <exception cref="FormatException">A page lacks the metric.</exception>
    public double ReadFrom(IEnumerable<IReadOnlyDictionary<string, double>> pages) =>
        pages.Sum(page => MetricsPage.Value(page, Metric) - (Less is null ? 0 : MetricsPage.Value(page, Less)));
}
