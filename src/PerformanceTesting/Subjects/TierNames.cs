namespace PerformanceTesting.Subjects;

/// <summary>The values of the trait <c>Category</c>.</summary>
public static class TierNames
{
    public const string Trait = "Category";

    public const string Smoke = "WorkflowPerfSmoke";

    public const string Latency = "WorkflowPerfLatency";

    public const string Throughput = "WorkflowPerfThroughput";

    public const string Capacity = "WorkflowPerfCapacity";

    public const string Nightly = "WorkflowPerfNightly";

    public const string Soak = "WorkflowPerfSoak";

    /// <summary>
    /// No tier: the instrument against known targets, and the rules that this assembly keeps. Runs with Smoke.
    /// </summary>
    public const string Calibration = "Calibration";

    /// <summary>No tier: limits that are there on purpose must be named by the findings.</summary>
    public const string Findings = "Findings";

    /// <summary>No tier: takes longer than a bare <c>dotnet test</c> has time for.</summary>
    public const string Extended = "Extended";

    /// <summary>No tier: takes longer than each change has time for. Runs every night.</summary>
    public const string Daily = "Daily";

    /// <summary>The six tiers.</summary>
    public static IReadOnlyList<string> All { get; } = [Smoke, Latency, Throughput, Capacity, Nightly, Soak];
}
