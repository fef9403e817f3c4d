using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>A scenario and its settings. Immutable: every <c>With</c> returns a new value.</summary>
public sealed record ScenarioProps
{
    public string ScenarioName { get; internal init; }
    public Func<IScenarioInitContext, Task> Init { get; internal init; }
    public Func<IScenarioInitContext, Task> Clean { get; internal init; }

    /// <summary>Null for a scenario of preparation and tidying up alone.</summary>
    public Func<IScenarioContext, Task<IResponse>> Run { get; internal init; }

    /// <summary>Null for none. Default 30 s.</summary>
    public TimeSpan? WarmUpDuration { get; internal init; } = TimeSpan.FromSeconds(30);

    /// <summary>Default: one copy for a minute.</summary>
    public IReadOnlyList<LoadSimulation> LoadSimulations { get; internal init; } =
        [BuiltIn.Simulation.KeepConstant(1, TimeSpan.FromMinutes(1))];

    public IReadOnlyList<Threshold> Thresholds { get; internal init; } = [];

    /// <summary>Whether a failed step ends its iteration. Default true.</summary>
    public bool RestartIterationOnFail { get; internal init; } = true;

    /// <summary>Number of failed iterations that stop the test. Default 5,000.</summary>
    public int MaxFailCount { get; internal init; } = 5_000;

    /// <summary>The scenario's part of the load of all scenarios with a weight; null for its own load.</summary>
    public int? Weight { get; internal init; }
}
