using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Adapts a scenario of a session to the built-in engine.</summary>
internal sealed class RunningScenario(
    ScenarioProps props, ScenarioSettings settings, IConfiguration globalSettings, SessionContext session)
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

    /// <summary>Zero if it ends after a number of iterations.</summary>
    public TimeSpan PlannedDuration => Load.Select(simulation => simulation.PlannedDuration)
        .Aggregate((TimeSpan?)TimeSpan.Zero, (sum, duration) => sum + duration) ?? TimeSpan.Zero;

    /// <summary>Scales the load by <paramref name="numerator"/> / <paramref name="denominator"/>.</summary>
    public void Scale(long numerator, long denominator) => Load = [.. Load.Select(simulation =>
        ScaledLoad.Of(simulation, numerator, denominator))];

    public BuiltIn.ScenarioProps ToBuiltIn()
    {
        var scenario = IsEmpty ? BuiltIn.Scenario.Empty(Name) : Loaded();
        scenario = props.Init is { } init
            ? scenario.WithInit(context => init(Tidying(context, ScenarioOperation.Init)))
            : scenario;
        return props.Clean is { } clean ? scenario.WithClean(context => CleanAsync(clean, context)) : scenario;
    }

    /// <summary>Reports a failure of clean and keeps the result.</summary>
    private async Task CleanAsync(Func<IScenarioInitContext, Task> clean, BuiltIn.IScenarioInitContext context)
    {
        try
        {
            await clean(Tidying(context, ScenarioOperation.Clean)).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            session.ReportFailure(exception, $"Scenario {Name} failed in WithClean");
        }
    }

    private BuiltIn.ScenarioProps Loaded()
    {
        // NBomber stops at this number of failures, the built-in engine at one more.
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
            session.Report(
                $"The warm-up of scenario '{Name}' is cut from {warmUp} to {PlannedDuration}, the length of its load.");
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
            // The step counts its status code.
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
            session, Info(context.ScenarioInfo.InstanceNumber, operation),
            settings?.CustomSettings ?? SettingsReader.None,
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
