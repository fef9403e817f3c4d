namespace UnitTests.LoadTesting.Load;

/// <summary>Runs one scenario and gives its result.</summary>
internal static class Runs
{
    internal static Task<IResponse> Ok { get; } = Task.FromResult<IResponse>(Response.Ok());

    internal static async Task<ScenarioStats> OneAsync(ScenarioProps scenario, LoadOptions? options = null) =>
        (await new LoadRunner().RunAsync([scenario], options ?? new LoadOptions(), Cancel)).Scenarios
            .Single();

    internal static ScenarioProps Iterations(
        int copies, long iterations, Func<IScenarioContext, Task<IResponse>> run) =>
        Scenario.Create("iterations", run).WithLoadSimulations(Simulation.IterationsForConstant(copies, iterations));

    internal static ScenarioProps Inject(int rate, TimeSpan during, Func<IScenarioContext, Task<IResponse>> run) =>
        Scenario.Create("inject", run)
            .WithLoadSimulations(
                Simulation.Inject(rate, TimeSpan.FromSeconds(Math.Min(1, during.TotalSeconds)), during));

    internal static void Balances(ScenarioStats result)
    {
        Assert.Equal(result.Requested, result.Started + result.Dropped);
        Assert.Equal(result.Started, result.Ok.Count + result.Fail.Count + result.Unfinished);
    }
}
