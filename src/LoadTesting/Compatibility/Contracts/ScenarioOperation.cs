namespace LoadTesting.Contracts;

/// <summary>What the scenario is being run for.</summary>
public enum ScenarioOperation
{
    Init = 0,
    Clean = 1,
    WarmUp = 2,
    Bombing = 3,
}
