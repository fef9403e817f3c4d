using NBomber.Contracts;
using NBomber.Contracts.Stats;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>One scenario as NBomber sees it.</summary>
internal sealed class NBomberScenario
{
    /// <summary>
    /// The status code of iterations that found nothing left to do: copies that wait for the last operations of the others.
    /// </summary>
    public const string Excess = "excess";

    private readonly Ours.DrivenScenario _scenario;
    private readonly TaskCompletionSource<IScenarioContext> _context = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _stop;
    private int _excess;

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

    /// <summary>What NBomber itself counted, and what it does not record.</summary>
    public IEnumerable<string> Remarks(NodeStats stats, string report)
    {
        var seen = stats.ScenarioStats.Single(scenario => scenario.ScenarioName == _scenario.Name);
        var counted = (long)seen.Ok.Request.Count + seen.Fail.Request.Count - _excess;
        var percentiles = _excess == 0
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"p50 {seen.Ok.Latency.Percent50:0.##} ms, p99 {seen.Ok.Latency.Percent99:0.##} ms by its own clock")
            : $"its percentiles are not repeated, as they hold {_excess} idle iterations more, under the status code '{Excess}'";
        yield return $"Iterations were started by NBomber {stats.NodeInfo.NBomberVersion}. It counted {counted} of {_scenario.Started} "
            + $"itself; {percentiles}: {report}, with its log beside it.";
        yield return _scenario.Simulations.Any(simulation => simulation is Ours.OpenSimulation)
            ? "NBomber does not say when an iteration was to start: response times are service times, and lateness of the generator is not "
                + "measured. It spreads arrivals at random inside each interval, and drops those that wait when the load ends."
            : "NBomber starts copies at random inside the first second: a load that is short beside that is mostly its ramp.";
        if (_scenario.Simulations.Any(simulation => simulation is Ours.RampingInjectSimulation or Ours.RampingConstantSimulation))
        {
            yield return "NBomber takes the rate of a ramp from the start of each interval, so that a rising one starts fewer than the "
                + "built-in engine.";
        }

        foreach (var poisson in _scenario.Simulations.OfType<Ours.InjectSimulation>()
            .Where(simulation => simulation.Pattern == Ours.ArrivalPattern.Poisson))
        {
            yield return $"Asked for: {poisson}. NBomber has no Poisson arrivals: it started {poisson.Rate} in each interval, each at a "
                + "random moment of it, without a seed.";
        }
    }

    private async Task<IResponse> RunAsync(IScenarioContext context)
    {
        _context.TrySetResult(context);
        if (await _scenario.RunIterationAsync(new NBomberSteps(context)).ConfigureAwait(false) is { } response)
        {
            return NBomberSteps.Translate(response);
        }

        // Until NBomber has stopped, it would call again at once.
        await _stop.ConfigureAwait(false);
        Interlocked.Increment(ref _excess);
        return Response.Ok(statusCode: Excess);
    }

    /// <summary>4.1.2 has no load with a number of iterations: a scenario is stopped when its last operation has ended.</summary>
    private async Task StopWhenOverAsync()
    {
        var reason = await _scenario.Over.ConfigureAwait(false);
        var context = await _context.Task.ConfigureAwait(false);
        context.StopScenario(_scenario.Name, reason);
    }
}

/// <summary>Translates a load to NBomber, by what 4.1.2 offers.</summary>
internal static class NBomberSimulations
{
    /// <summary>A number of iterations ends by itself long before.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private const string AtRandom = "at random inside each interval, without a seed";

    /// <exception cref="NotSupportedException">There is no such load.</exception>
    public static LoadSimulation[] Of(Ours.DrivenScenario scenario)
    {
        var counted = scenario.Simulations.OfType<Ours.IterationsForConstantSimulation>().Select(simulation => simulation.Copies).ToArray();
        if (counted.Length == 0)
        {
            return [.. scenario.Simulations.Select(Of)];
        }

        // Several numbers of iterations one after the other are one load to NBomber; who may start what is known to the scenario.
        return counted.Distinct().Count() == 1
            ? [Simulation.KeepConstant(counted[0], s_longest)]
            : throw new NotSupportedException($"Scenario '{scenario.Name}' changes its copies ({string.Join(", ", counted)}) between "
                + "numbers of iterations, which the load engine nbomber cannot do; use the built-in one.");
    }

    /// <summary>What becomes of a load: NBomber places arrivals otherwise than was asked for.</summary>
    public static string Describe(Ours.LoadSimulation simulation) => simulation switch
    {
        Ours.InjectSimulation s => Text($"inject {s.Rate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.RampingInjectSimulation s =>
            Text($"ramping inject from {s.FromRate:0.######} to {s.Rate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.InjectRandomSimulation s => Text($"inject {s.MinRate} to {s.MaxRate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.IterationsForInjectSimulation s => Text($"inject {s.Iterations} iterations, {s.Rate} per {s.Interval}, {AtRandom}"),
        _ => simulation.ToString(),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static LoadSimulation Of(Ours.LoadSimulation simulation) => simulation switch
    {
        Ours.KeepConstantSimulation s => Simulation.KeepConstant(s.Copies, s.During),
        Ours.RampingConstantSimulation s => Simulation.RampingConstant(s.Copies, s.During),
        Ours.InjectSimulation s => Simulation.Inject(s.Rate, s.Interval, s.During),
        Ours.RampingInjectSimulation s => Simulation.RampingInject(s.Rate, s.Interval, s.During),
        // NBomber excludes the maximum, this model includes it.
        Ours.InjectRandomSimulation s => Simulation.InjectRandom(s.MinRate, checked(s.MaxRate + 1), s.Interval, s.During),
        Ours.IterationsForInjectSimulation s => Simulation.Inject(s.Rate, s.Interval, s.During + s.Interval),
        Ours.PauseSimulation s => Simulation.Pause(s.During),
        _ => throw new NotSupportedException($"The load engine nbomber has no load of the kind '{simulation}'; use the built-in one."),
    };
}

/// <summary>Runs the steps of an iteration as steps of NBomber, so that its report has them.</summary>
internal sealed class NBomberSteps(IScenarioContext context) : Ours.IStepHost
{
    public Task RunAsync(string name, Func<Task<Ours.IResponse>> run) =>
        Step.Run(name, context, async () => Translate(await run().ConfigureAwait(false)));

    public static Response<object> Translate(Ours.IResponse response) => response.IsError
        ? Response.Fail(statusCode: response.StatusCode, message: response.Message, sizeBytes: response.SizeBytes)
        : Response.Ok(statusCode: response.StatusCode, sizeBytes: response.SizeBytes, message: response.Message);
}
