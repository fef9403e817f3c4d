namespace LoadTesting.Contracts.Stats;

/// <summary>How many took at most 800 ms, more, and at least 1,200 ms.</summary>
public sealed class LatencyCount
{
    public int LessOrEq800 { get; set; }
    public int More800Less1200 { get; set; }
    public int MoreOrEq1200 { get; set; }
}
