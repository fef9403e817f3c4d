using System.Diagnostics;
using NBomber.Contracts;

namespace NBomber.StandIn;

/// <summary>What one iteration gets to see.</summary>
public sealed class Iteration(ScenarioSession session, bool restartIterationOnFail, Action<string?> stop)
    : IScenarioContext
{
    public void StopScenario(string scenarioName, string reason) => stop(scenarioName);

    public async Task<Response<T>> RunStepAsync<T>(string name, Func<Task<Response<T>>> run)
    {
        var start = Stopwatch.GetTimestamp();
        var response = await run();
        session.Measure(name, response, start);
        return response.IsError && restartIterationOnFail
            ? throw new InvalidOperationException($"Step '{name}' failed, and the iteration with it.")
            : response;
    }
}
