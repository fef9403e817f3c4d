namespace LoadTesting.Contracts.Stats;

public sealed class RequestStats
{
    public int Count { get; set; }

    /// <summary>Per second of real time.</summary>
    public double RPS { get; set; }

    /// <summary>Share of all, 0 to 100, rounded; 0 and 100 mean none and all.</summary>
    public int Percent { get; set; }
}
