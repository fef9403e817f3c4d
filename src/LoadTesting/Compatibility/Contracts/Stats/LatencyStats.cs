namespace LoadTesting.Contracts.Stats;

/// <summary>
/// Milliseconds; 0 if nothing ended. Of a scenario and its steps under an open load from the intended start, under a
/// closed one from the actual start.
/// </summary>
public sealed class LatencyStats
{
    public double MinMs { get; set; }
    public double MeanMs { get; set; }
    public double MaxMs { get; set; }
    public double Percent50 { get; set; }
    public double Percent75 { get; set; }
    public double Percent95 { get; set; }
    public double Percent99 { get; set; }
    public double StdDev { get; set; }
    public LatencyCount LatencyCount { get; set; } = new();
}
