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
        yield return $"Iterations were started by NBomber {stats.NodeInfo.NBomberVersion}. It counted {counted} of {_scenario.Started} "
            + $"itself, p50 {seen.Ok.Latency.Percent50:0.##} ms, p99 {seen.Ok.Latency.Percent99:0.##} ms by its own clock ({_excess} idle "
            + $"ones under the status code '{Excess}'): {report}.";
        yield return _scenario.Simulations.Any(simulation => simulation is Ours.OpenSimulation)
            ? "NBomber does not say when an iteration was to start: response times are service times, and lateness of the generator is not "
                + "measured. It spreads arrivals at random inside each interval, and drops those that wait when the load ends."
            : "NBomber starts copies at random inside the first second: a load that is short beside that is mostly its ramp.";
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

/// <summary>Translates a load to NBomber, by what it offers since 4.1.2.</summary>
internal static class NBomberSimulations
{
    /// <summary>A number of iterations ends by itself long before.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

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

    private static LoadSimulation Of(Ours.LoadSimulation simulation) => simulation switch
    {
        Ours.KeepConstantSimulation s => Simulation.KeepConstant(s.Copies, s.During),
        Ours.RampingConstantSimulation s => Simulation.RampingConstant(s.Copies, s.During),
        Ours.InjectSimulation s => Simulation.Inject(s.Rate, s.Interval, s.During),
        Ours.RampingInjectSimulation s => Simulation.RampingInject(s.Rate, s.Interval, s.During),
        Ours.InjectRandomSimulation s => Simulation.InjectRandom(s.MinRate, s.MaxRate, s.Interval, s.During),
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
