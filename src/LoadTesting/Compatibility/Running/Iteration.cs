using System.Diagnostics;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>A scenario of a session as one of the built-in engine.</summary>
internal sealed class RunningScenario(ScenarioProps props, ScenarioSettings settings, IConfiguration globalSettings, SessionContext session)
{
    private readonly ConcurrentDictionary<int, Iteration> _iterations = [];

    public string Name => props.ScenarioName;
    public bool IsEmpty => props.Run is null;
    public IReadOnlyList<BuiltIn.LoadSimulation> Load { get; private set; } =
        [.. (settings?.LoadSimulations ?? props.LoadSimulations).Select(simulation => simulation.Value)];

    public IReadOnlyList<Threshold> Thresholds { get; } = settings?.Thresholds ?? props.Thresholds;
    public int? Weight { get; } = settings?.Weight ?? props.Weight;
    public int MaxFailCount { get; } = settings is null ? props.MaxFailCount : settings.MaxFailCount ?? 5_000;
    public TimeSpan? WarmUp { get; } = settings is null ? props.WarmUpDuration : settings.WarmUpDuration;

    /// <summary>Zero where it follows from a number of iterations.</summary>
    public TimeSpan PlannedDuration => Load.Select(simulation => simulation.PlannedDuration)
        .Aggregate((TimeSpan?)TimeSpan.Zero, (sum, duration) => sum + duration) ?? TimeSpan.Zero;

    /// <summary>Runs <paramref name="numerator"/> / <paramref name="denominator"/> times its load.</summary>
    public void Scale(long numerator, long denominator) => Load = [.. Load.Select(simulation =>
        ScaledLoad.Of(simulation, numerator, denominator))];

    public BuiltIn.ScenarioProps ToBuiltIn()
    {
        var scenario = IsEmpty ? BuiltIn.Scenario.Empty(Name) : Loaded();
        scenario = props.Init is { } init ? scenario.WithInit(context => init(Tidying(context, ScenarioOperation.Init))) : scenario;
        return props.Clean is { } clean ? scenario.WithClean(context => CleanAsync(clean, context)) : scenario;
    }

    /// <summary>A failure to tidy up is reported, and the result stays.</summary>
    private async Task CleanAsync(Func<IScenarioInitContext, Task> clean, BuiltIn.IScenarioInitContext context)
    {
        try
        {
            await clean(Tidying(context, ScenarioOperation.Clean)).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            session.Logger.Error(exception, "Scenario {ScenarioName} failed in WithClean", Name);
            session.Print($"Scenario '{Name}' failed in WithClean: {exception.Message}");
        }
    }

    private BuiltIn.ScenarioProps Loaded()
    {
        // NBomber stops at that many failures, the built-in engine at one more.
        var scenario = BuiltIn.Scenario.Create(Name, RunAsync)
            .WithMixedLoadSimulations([.. ScaledLoad.WithoutEmptyRamps(Load)])
            .WithRestartIterationOnFail(props.RestartIterationOnFail)
            .WithMaxFailCount(Math.Max(0, MaxFailCount - 1));
        if (WarmUp is not { } warmUp)
        {
            return scenario;
        }

        if (PlannedDuration > TimeSpan.Zero && warmUp > PlannedDuration)
        {
            session.Report($"The warm-up of scenario '{Name}' is cut from {warmUp} to {PlannedDuration}, the length of its load.");
            warmUp = PlannedDuration;
        }

        return scenario.WithWarmUpDuration(warmUp);
    }

    private async Task<BuiltIn.IResponse> RunAsync(BuiltIn.IScenarioContext context)
    {
        var iteration = IterationOf(context);
        BuiltIn.IResponse response;
        try
        {
            response = await props.Run(iteration).ConfigureAwait(false);
        }
        catch (BuiltIn.StepFailedException failed)
        {
            // Its status code is counted for the step.
            response = new Response<object>("", true, 0, failed.Message, null);
        }
        catch (Exception exception)
        {
            if (exception is not OperationCanceledException)
            {
                session.Logger.Error(exception, "Unhandled exception in scenario {ScenarioName}", Name);
            }

            response = BuiltIn.FailureCodes.ResponseTo<object>(exception);
        }

        return iteration.End(response);
    }

    private Iteration IterationOf(BuiltIn.IScenarioContext context)
    {
        var number = context.ScenarioInfo.InstanceNumber;
        if (_iterations.TryGetValue(number, out var known) && ReferenceEquals(known.Copy, context))
        {
            return known;
        }

        var operation = context.ScenarioInfo.ScenarioOperation == BuiltIn.ScenarioOperation.WarmUp
            ? ScenarioOperation.WarmUp
            : ScenarioOperation.Bombing;
        session.Enter(operation == ScenarioOperation.WarmUp ? OperationType.WarmUp : OperationType.Bombing);
        return _iterations[number] = new Iteration(session, context, Info(number, operation));
    }

    private InitContext Tidying(BuiltIn.IScenarioInitContext context, ScenarioOperation operation)
    {
        session.Enter(operation == ScenarioOperation.Init ? OperationType.Init : OperationType.Stop);
        return new InitContext(
            session, Info(context.ScenarioInfo.InstanceNumber, operation), settings?.CustomSettings ?? SettingsReader.None,
            globalSettings ?? SettingsReader.None);
    }

    private ScenarioInfo Info(int number, ScenarioOperation operation) => new()
    {
        ScenarioName = Name,
        InstanceNumber = number,
        ScenarioDuration = PlannedDuration,
        ScenarioOperation = operation,
    };
}

/// <summary>A copy of a scenario in one of its iterations; to the built-in API that copy, which also adds up the bytes of steps.</summary>
internal sealed class Iteration(SessionContext session, BuiltIn.IScenarioContext builtIn, ScenarioInfo info)
    : IScenarioContext, BuiltIn.IScenarioContext
{
    private long _stepBytes;

    public BuiltIn.IScenarioContext Copy => builtIn;
    public TestInfo TestInfo => session.TestInfo;
    public ScenarioInfo ScenarioInfo => info;
    public NodeInfo NodeInfo => session.GetNodeInfo();
    public ILogger Logger => session.Logger;
    public long InvocationNumber => builtIn.InvocationNumber;
    public Dictionary<string, object> Data => builtIn.Data;
    public Dictionary<string, object> ScenarioInstanceData => builtIn.ScenarioInstanceData;
    public CancellationToken ScenarioCancellationToken => builtIn.ScenarioCancellationToken;
    public Random Random => builtIn.Random;
    BuiltIn.ScenarioInfo BuiltIn.IScenarioContext.ScenarioInfo => builtIn.ScenarioInfo;
    long BuiltIn.IScenarioContext.IterationNumber => builtIn.IterationNumber;
    long BuiltIn.IScenarioContext.IntendedTimestamp => builtIn.IntendedTimestamp;
    long BuiltIn.IScenarioContext.StartTimestamp => builtIn.StartTimestamp;
    bool BuiltIn.IScenarioContext.RestartIterationOnFail => builtIn.RestartIterationOnFail;

    void BuiltIn.IScenarioContext.RestUntil(long timestamp) => builtIn.RestUntil(timestamp);

    public static Iteration Of(IScenarioContext context) => context as Iteration
        ?? throw new ArgumentException(
            "A step runs in the context that its scenario was given; this one is of another kind: pass the scenario's own.",
            nameof(context));

    public void StopScenario(string scenarioName, string reason)
    {
        session.Report($"Scenario '{scenarioName}' is stopped early: {reason}");
        builtIn.StopScenario(scenarioName, reason);
    }

    public void StopCurrentTest(string reason)
    {
        session.Report($"The test is stopped early: {reason}");
        builtIn.StopCurrentTest(reason);
    }

    /// <summary>Records a step, whose bytes are the iteration's too.</summary>
    public void RecordStep(string name, long startTimestamp, long endTimestamp, BuiltIn.IResponse response)
    {
        Interlocked.Add(ref _stepBytes, response.SizeBytes);
        builtIn.RecordStep(
            name, startTimestamp,
            response is IResponse { LatencyMs: > 0 and var latencyMs } ? EndAfter(startTimestamp, latencyMs) : endTimestamp, response);
    }

    /// <summary>The failure of a step that threw.</summary>
    public Response<T> Failed<T>(Exception exception)
    {
        if (exception is not OperationCanceledException)
        {
            session.Logger.Error(exception, "Unhandled exception in a step of scenario {ScenarioName}", info.ScenarioName);
        }

        var failure = BuiltIn.FailureCodes.ResponseTo<T>(exception);
        return new Response<T>(failure.StatusCode, true, 0, failure.Message, null);
    }

    /// <summary>The iteration's response with the bytes of its steps.</summary>
    public BuiltIn.IResponse End(BuiltIn.IResponse response)
    {
        var bytes = Interlocked.Exchange(ref _stepBytes, 0);
        var latencyMs = (response as IResponse)?.LatencyMs ?? 0;
        return response is null || (bytes == 0 && latencyMs <= 0)
            ? response
            : new Response<object>(response.StatusCode, response.IsError, response.SizeBytes + bytes, response.Message, null)
            {
                LatencyMs = latencyMs,
                EndTimestamp = latencyMs > 0 ? EndAfter(builtIn.StartTimestamp, latencyMs) : response.EndTimestamp,
            };
    }

    private static long EndAfter(long start, double ms) => start + (long)(ms / 1000 * Stopwatch.Frequency);
}

/// <summary>What preparation and tidying up of a scenario get to see.</summary>
internal sealed class InitContext(SessionContext session, ScenarioInfo info, IConfiguration custom, IConfiguration globalCustom)
    : IScenarioInitContext
{
    public TestInfo TestInfo => session.TestInfo;
    public ScenarioInfo ScenarioInfo => info;
    public NodeInfo NodeInfo => session.GetNodeInfo();
    public IConfiguration CustomSettings => custom;
    public IConfiguration GlobalCustomSettings => globalCustom;
    public ScenarioPartition ScenarioPartition => ScenarioPartition.Empty;
    public ILogger Logger => session.Logger;
}

/// <summary>Loads that are shared by weight, and loads that start nothing.</summary>
internal static class ScaledLoad
{
    /// <summary>
    /// So many times that load: rates exactly, as far as whole iterations go; copies rounded, and at least one.
    /// </summary>
    public static BuiltIn.LoadSimulation Of(BuiltIn.LoadSimulation load, long numerator, long denominator)
    {
        var factor = (double)numerator / denominator;
        return load switch
        {
            BuiltIn.InjectSimulation s => Whole(s.Rate * (s.During / s.Interval) * factor) is > 0 and var rate
                ? BuiltIn.Simulation.Inject(rate, s.During, s.During, s.Pattern, s.Seed)
                : BuiltIn.Simulation.Pause(s.During),
            BuiltIn.RampingInjectSimulation s =>
                BuiltIn.Simulation.RampingInject(Whole(s.Rate * (s.During / s.Interval) * factor), s.During, s.During),
            BuiltIn.InjectRandomSimulation s =>
                BuiltIn.Simulation.InjectRandom(Whole(s.MinRate * factor), Least(s.MaxRate * factor), s.Interval, s.During, s.Seed),
            BuiltIn.IterationsForInjectSimulation s =>
                BuiltIn.Simulation.IterationsForInject(
                    Whole((double)s.Rate * numerator), s.Interval * denominator, Least(s.Iterations * factor)),
            BuiltIn.KeepConstantSimulation s => BuiltIn.Simulation.KeepConstant(Least(s.Copies * factor), s.During),
            BuiltIn.RampingConstantSimulation s => BuiltIn.Simulation.RampingConstant(Whole(s.Copies * factor), s.During),
            BuiltIn.IterationsForConstantSimulation s => BuiltIn.Simulation.IterationsForConstant(
                Math.Min(Least(s.Copies * factor), Least(s.Iterations * factor)), Least(s.Iterations * factor)),
            _ => load,
        };
    }

    /// <summary>A ramp from 0 to 0, which the built-in API refuses, is a pause.</summary>
    public static IEnumerable<BuiltIn.LoadSimulation> WithoutEmptyRamps(IEnumerable<BuiltIn.LoadSimulation> load)
    {
        BuiltIn.LoadSimulation previous = null;
        foreach (var simulation in load)
        {
            previous = simulation switch
            {
                BuiltIn.RampingInjectSimulation { Rate: 0 } s when !LeavesArrivals(previous) => BuiltIn.Simulation.Pause(s.During),
                BuiltIn.RampingConstantSimulation { Copies: 0 } s when previous is not BuiltIn.ClosedSimulation { Copies: > 0 } =>
                    BuiltIn.Simulation.Pause(s.During),
                _ => simulation,
            };
            yield return previous;
        }
    }

    private static bool LeavesArrivals(BuiltIn.LoadSimulation previous) =>
        previous is BuiltIn.OpenSimulation and not BuiltIn.RampingInjectSimulation { Rate: 0 };

    private static int Whole(double value) => checked((int)Math.Round(value, MidpointRounding.AwayFromZero));

    private static int Least(double value) => Math.Max(1, Whole(value));
}
