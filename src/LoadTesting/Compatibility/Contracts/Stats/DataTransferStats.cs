namespace LoadTesting.Contracts.Stats;

/// <summary>Bytes, of the responses that named a size; 0 where none did.</summary>
public sealed class DataTransferStats
{
    public long MinBytes { get; set; }
    public long MeanBytes { get; set; }
    public long MaxBytes { get; set; }
    public long Percent50 { get; set; }
    public long Percent75 { get; set; }
    public long Percent95 { get; set; }
    public long Percent99 { get; set; }
    public double StdDev { get; set; }
    public long AllBytes { get; set; }
}
