namespace LoadTesting.Core.Load;

/// <summary>Makes scenarios, in NBomber's words.</summary>
public static class Scenario
{
    /// <summary>A scenario whose iterations are <paramref name="run"/>. It needs at least one load simulation before it can run.</summary>
    /// <param name="name">Unique within a run; not empty.</param>
    /// <param name="run">One iteration. A thrown exception is a failed iteration (<see cref="FailureCodes"/>).</param>
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(run);
        return new ScenarioProps(name, run);
    }
}
