using NBomber.Contracts;

namespace NBomber.CSharp;

public static class Scenario
{
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run) => new(name, run);

    public static ScenarioProps WithoutWarmUp(this ScenarioProps scenario) => scenario with { WarmUpDuration = null };

    public static ScenarioProps WithLoadSimulations(
        this ScenarioProps scenario, params LoadSimulation[] loadSimulations) =>
        scenario with { LoadSimulations = loadSimulations };

    public static ScenarioProps WithRestartIterationOnFail(this ScenarioProps scenario, bool shouldRestart) =>
        scenario with { RestartIterationOnFail = shouldRestart };

    public static ScenarioProps WithMaxFailCount(this ScenarioProps scenario, int maxFailCount) =>
        scenario with { MaxFailCount = maxFailCount };
}
