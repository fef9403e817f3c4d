namespace LoadTesting.Contracts.Stats;

/// <summary>The simulation that runs, and its copies or its rate.</summary>
public sealed class LoadSimulationStats
{
    public string SimulationName { get; set; } = "";
    public int Value { get; set; }
}
