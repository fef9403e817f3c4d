namespace LoadTesting.Contracts;

/// <summary>Which part of a cluster this is: always the only one.</summary>
public sealed record ScenarioPartition(int Number, int Count)
{
    public static ScenarioPartition Empty { get; } = new(1, 1);
}
