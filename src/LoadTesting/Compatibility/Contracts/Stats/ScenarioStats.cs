namespace LoadTesting.Contracts.Stats;

public sealed class ScenarioStats
{
    public string ScenarioName { get; set; } = "";

    /// <summary>Iterations, with the bytes of their steps.</summary>
    public MeasurementStats Ok { get; set; } = new();

    /// <inheritdoc cref="Ok"/>
    public MeasurementStats Fail { get; set; } = new();

    public StepStats[] StepStats { get; set; } = [];
    public LoadSimulationStats LoadSimulationStats { get; set; } = new();
    public OperationType CurrentOperation { get; set; }

    /// <summary>Iterations and steps together: an iteration of three steps counts four.</summary>
    public int AllRequestCount { get; set; }

    /// <inheritdoc cref="AllRequestCount"/>
    public int AllOkCount { get; set; }

    /// <inheritdoc cref="AllRequestCount"/>
    public int AllFailCount { get; set; }

    /// <summary>Bytes of the iterations, those of their steps included.</summary>
    public long AllBytes { get; set; }

    /// <summary>How long it really lasted.</summary>
    public TimeSpan Duration { get; set; }

    public int SortIndex { get; set; }

    public StepStats GetStepStats(string stepName) => FindStepStats(stepName)
        ?? throw new KeyNotFoundException($"Scenario '{ScenarioName}' has no step '{stepName}'.");

    public StepStats FindStepStats(string stepName) => StepStats.FirstOrDefault(step => step.StepName == stepName);
}
