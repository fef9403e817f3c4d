namespace LoadTesting.Contracts.Stats;

/// <summary>How often a status code was given.</summary>
public sealed class StatusCodeStats
{
    public string StatusCode { get; set; } = "";
    public bool IsError { get; set; }
    public string Message { get; set; } = "";
    public int Count { get; set; }

    /// <inheritdoc cref="RequestStats.Percent"/>
    public int Percent { get; set; }
}
