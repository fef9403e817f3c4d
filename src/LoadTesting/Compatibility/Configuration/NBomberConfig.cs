namespace LoadTesting.Configuration;

/// <summary>A JSON configuration; null is what it does not mention.</summary>
public record NBomberConfig
{
    internal NBomberConfig()
    {
    }

    public string TestSuite { get; internal init; }
    public string TestName { get; internal init; }
    public IReadOnlyList<string> TargetScenarios { get; internal init; }
}
