namespace LoadTesting.Contracts.Stats;

public sealed class MetricPercentiles
{
    public double Mean { get; set; }
    public double Max { get; set; }
    public double Percent50 { get; set; }
    public double Percent75 { get; set; }
    public double Percent95 { get; set; }
    public double Percent99 { get; set; }
}
