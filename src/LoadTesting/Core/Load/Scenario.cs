namespace LoadTesting.Core.Load;

/// <summary>Creates scenarios, with NBomber's names.</summary>
public static class Scenario
{
    /// <summary>
    /// A scenario whose iterations are <paramref name="run"/>. It needs at least one load simulation before it can run.
    /// </summary>
    /// <param name="name">Unique within a run; not empty.</param>
    /// <param name="run">One iteration. A thrown exception is a failed iteration (<see cref="FailureCodes"/>).</param>
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(run);
        return new ScenarioProps(name, run);
    }

    /// <summary>A scenario with init and clean only: it starts nothing and is not part of the result.</summary>
    /// <param name="name">Unique within a run; not empty.</param>
    public static ScenarioProps Empty(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new ScenarioProps(
            name, _ => throw new InvalidOperationException($"Scenario '{name}' is empty; it has no iterations."))
        {
            IsEmpty = true,
        };
    }
}
