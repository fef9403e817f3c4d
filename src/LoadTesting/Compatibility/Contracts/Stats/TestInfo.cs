namespace LoadTesting.Contracts.Stats;

/// <summary>Which session this is.</summary>
public sealed class TestInfo
{
    public static TestInfo Empty => new() { Created = DateTime.MinValue };

    public string SessionId { get; set; } = "";
    public string TestSuite { get; set; } = "";
    public string TestName { get; set; } = "";
    public string ClusterId { get; set; } = "";

    /// <summary>UTC.</summary>
    public DateTime Created { get; set; }
}
