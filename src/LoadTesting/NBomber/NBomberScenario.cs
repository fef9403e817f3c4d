using NBomber.Contracts;
using NBomber.Contracts.Stats;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>Adapts one scenario to NBomber.</summary>
internal sealed class NBomberScenario
{
    /// <summary>
    /// Status code of idle iterations: copies without work that wait for the last operations of the others.
    /// </summary>
    public const string Excess = "excess";

    private readonly Ours.Engines.DrivenScenario _scenario;
    private readonly TaskCompletionSource<IScenarioContext> _context =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _stop;
    private int _excess;

    public NBomberScenario(Ours.Engines.DrivenScenario scenario)
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

    /// <summary>Notes on NBomber's own counts and on what it does not record.</summary>
    public IEnumerable<string> Remarks(NodeStats stats, string report)
    {
        var seen = stats.ScenarioStats.Single(scenario => scenario.ScenarioName == _scenario.Name);
        var counted = (long)seen.Ok.Request.Count + seen.Fail.Request.Count - _excess;
        var percentiles = _excess == 0
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"p50 {seen.Ok.Latency.Percent50:0.##} ms, p99 {seen.Ok.Latency.Percent99:0.##} ms by its own clock")
            : $"its percentiles are not repeated, as they hold {_excess} idle iterations more, under the status code '{Excess}'";
        yield return $"Iterations were started by NBomber {stats.NodeInfo.NBomberVersion}. It counted {counted} of "
            + $"{_scenario.Started} itself; {percentiles}: {report}, with its log beside it.";
        yield return _scenario.Simulations.Any(simulation => simulation is Ours.Simulations.OpenSimulation)
            ? "NBomber does not say when an iteration was to start: response times are service times, and lateness of "
                + "the generator is not measured. It spreads arrivals at random inside each interval, and drops those "
                + "that wait when the load ends."
            : "NBomber starts copies at random inside the first second: a load that is short beside that is mostly its ramp.";
        if (_scenario.Simulations.Any(simulation =>
            simulation is Ours.Simulations.RampingInjectSimulation or Ours.Simulations.RampingConstantSimulation))
        {
            yield return "NBomber takes the rate of a ramp from the start of each interval, so that a rising one "
                + "starts fewer than the built-in engine.";
        }

        foreach (var poisson in _scenario.Simulations.OfType<Ours.Simulations.InjectSimulation>()
            .Where(simulation => simulation.Pattern == Ours.Simulations.ArrivalPattern.Poisson))
        {
            yield return $"Asked for: {poisson}. NBomber has no Poisson arrivals: it started {poisson.Rate} in each "
                + "interval, each at a random moment of it, without a seed.";
        }
    }

    private async Task<IResponse> RunAsync(IScenarioContext context)
    {
        _context.TrySetResult(context);
        if (await _scenario.RunIterationAsync(new NBomberSteps(context)).ConfigureAwait(false) is { } response)
        {
            return NBomberSteps.Translate(response);
        }

        // Wait until NBomber stops; it would call again at once.
        await _stop.ConfigureAwait(false);
        Interlocked.Increment(ref _excess);
        return Response.Ok(statusCode: Excess);
    }

    /// <summary>
    /// NBomber 4.1.2 has no load with a fixed number of iterations: stops the scenario after its last operation.
    /// </summary>
    private async Task StopWhenOverAsync()
    {
        var reason = await _scenario.Over.ConfigureAwait(false);
        var context = await _context.Task.ConfigureAwait(false);
        context.StopScenario(_scenario.Name, reason);
    }
}

/// <summary>Runs the steps of an iteration as steps of NBomber, so that its report has them.</summary>
internal sealed class NBomberSteps(IScenarioContext context) : Ours.Engines.IStepHost
{
    public Task RunAsync(string name, Func<Task<Ours.IResponse>> run) =>
        Step.Run(name, context, async () => Translate(await run().ConfigureAwait(false)));

    public static Response<object> Translate(Ours.IResponse response) => response.IsError
        ? Response.Fail(statusCode: response.StatusCode, message: response.Message, sizeBytes: response.SizeBytes)
        : Response.Ok(statusCode: response.StatusCode, sizeBytes: response.SizeBytes, message: response.Message);
}
