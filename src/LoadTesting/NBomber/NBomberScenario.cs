using NBomber.Contracts;
using NBomber.Contracts.Stats;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>One scenario as NBomber sees it.</summary>
internal sealed class NBomberScenario
{
    /// <summary>The status code of iterations that found nothing left to do: copies that wait for the last operations of the others.</summary>
    public const string Surplus = "surplus";

    private readonly Ours.DrivenScenario _scenario;
    private readonly TaskCompletionSource<IScenarioContext> _context = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _stop;
    private int _surplus;

    public NBomberScenario(Ours.DrivenScenario scenario)
    {
        _scenario = scenario;
        _stop = StopWhenOverAsync();

        // Failed steps and failed iterations are judged by Core, once.
        Props = Scenario.Create(scenario.Name, RunAsync)
            .WithoutWarmUp()
            .WithLoadSimulations(NBomberSimulations.Of(scenario))
            .WithRestartIterationOnFail(false)
            .WithMaxFailCount(int.MaxValue);
    }

    public ScenarioProps Props { get; }

    /// <summary>What NBomber itself counted, and what it cannot tell.</summary>
    public IEnumerable<string> Remarks(NodeStats stats, string report)
    {
        var seen = stats.ScenarioStats.Single(scenario => scenario.ScenarioName == _scenario.Name);
        var counted = (long)seen.Ok.Request.Count + seen.Fail.Request.Count - _surplus;
        yield return $"Iterations were started by NBomber {stats.NodeInfo.NBomberVersion}. It counted {counted} of {_scenario.Started} itself, "
            + $"p50 {seen.Ok.Latency.Percent50:0.##} ms, p99 {seen.Ok.Latency.Percent99:0.##} ms by its own clock ({_surplus} idle ones under the status code '{Surplus}'): {report}.";
        yield return _scenario.Simulations.Any(simulation => simulation is Ours.OpenSimulation)
            ? "NBomber does not say when an iteration was to start: response times are service times, and lateness of the generator is not measured. It spreads arrivals at random inside each interval, and drops those that wait when the load ends."
            : "NBomber starts copies at random inside the first second: a load that is short beside that is mostly its ramp.";
    }

    private async Task<IResponse> RunAsync(IScenarioContext context)
    {
        _context.TrySetResult(context);
        if (await _scenario.RunIterationAsync(new NBomberSteps(context)).ConfigureAwait(false) is { } response)
        {
            return NBomberSteps.Translate(response);
        }

        // Until NBomber has been told to stop, it would call again at once.
        await _stop.ConfigureAwait(false);
        Interlocked.Increment(ref _surplus);
        return Response.Ok(statusCode: Surplus);
    }

    /// <summary>4.1.2 has no load with a number of iterations: a scenario is stopped when its last operation has ended.</summary>
    private async Task StopWhenOverAsync()
    {
        var reason = await _scenario.Over.ConfigureAwait(false);
        var context = await _context.Task.ConfigureAwait(false);
        context.StopScenario(_scenario.Name, reason);
    }
}
