using LoadTesting.Contracts;
using LoadTesting.Running;

namespace LoadTesting.CSharp;

/// <summary>Makes scenarios, and sets what they are run with.</summary>
public static class Scenario
{
    /// <param name="name">Unique within a session; not empty.</param>
    /// <param name="run">One iteration. A thrown exception is a failed iteration.</param>
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(run);
        return new ScenarioProps { ScenarioName = name, Run = run };
    }

    /// <summary>A scenario of preparation and tidying up alone.</summary>
    public static ScenarioProps Empty(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new ScenarioProps { ScenarioName = name };
    }

    public static ScenarioProps WithInit(this ScenarioProps scenario, Func<IScenarioInitContext, Task> initFunc) =>
        scenario with { Init = initFunc };

    /// <summary>Runs after the load, also when that failed. Its failures are logged.</summary>
    public static ScenarioProps WithClean(this ScenarioProps scenario, Func<IScenarioInitContext, Task> cleanFunc) =>
        scenario with { Clean = cleanFunc };

    /// <summary>Load before the load, whose measurements are dropped. Longer than zero.</summary>
    public static ScenarioProps WithWarmUpDuration(this ScenarioProps scenario, TimeSpan duration) =>
        scenario with { WarmUpDuration = duration };

    public static ScenarioProps WithoutWarmUp(this ScenarioProps scenario) => scenario with { WarmUpDuration = null };

    /// <summary>The load, one after the other.</summary>
    /// <exception cref="ArgumentException">No simulation, or nothing but pauses: nothing would be measured.</exception>
    public static ScenarioProps WithLoadSimulations(
        this ScenarioProps scenario, params LoadSimulation[] loadSimulations) =>
        scenario with { LoadSimulations = ScaledLoad.Checked(scenario.ScenarioName, loadSimulations) };

    public static ScenarioProps WithThresholds(this ScenarioProps scenario, params Threshold[] thresholds) =>
        scenario with { Thresholds = thresholds };

    public static ScenarioProps WithRestartIterationOnFail(this ScenarioProps scenario, bool shouldRestart) =>
        scenario with { RestartIterationOnFail = shouldRestart };

    public static ScenarioProps WithMaxFailCount(this ScenarioProps scenario, int maxFailCount) =>
        scenario with { MaxFailCount = maxFailCount };

    /// <summary>
    /// All scenarios with a weight share the sum of their loads by it: of n of them, one with weight w of W in all runs
    /// n · w / W times its own load.
    /// </summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="weight">At least 1.</param>
    public static ScenarioProps WithWeight(this ScenarioProps scenario, int weight) =>
        scenario with { Weight = weight };
}
