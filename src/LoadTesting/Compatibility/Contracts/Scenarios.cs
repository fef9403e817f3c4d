using System.Runtime.CompilerServices;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>What the scenario is being run for.</summary>
public enum ScenarioOperation
{
    Init = 0,
    Clean = 1,
    WarmUp = 2,
    Bombing = 3,
}

/// <summary>Which copy of which scenario is running.</summary>
public sealed record ScenarioInfo
{
    internal ScenarioInfo()
    {
    }

    /// <summary>Name and copy in one word.</summary>
    public string InstanceId => $"{ScenarioName}_{InstanceNumber}";

    /// <summary>The copy, from 0. Copies of an open load are reused once their iteration has ended.</summary>
    public int InstanceNumber { get; internal init; }

    /// <summary>NBomber 4's name of <see cref="InstanceId"/>.</summary>
    public string ThreadId => InstanceId;

    /// <summary>NBomber 4's name of <see cref="InstanceNumber"/>.</summary>
    public int ThreadNumber => InstanceNumber;

    public string ScenarioName { get; internal init; }

    /// <summary>How long the load is to last; zero where that follows from a number of iterations.</summary>
    public TimeSpan ScenarioDuration { get; internal init; }

    public ScenarioOperation ScenarioOperation { get; internal init; }
}

/// <summary>Which part of a cluster this is: always the only one.</summary>
public sealed record ScenarioPartition(int Number, int Count)
{
    public static ScenarioPartition Empty { get; } = new(1, 1);
}

/// <summary>What one iteration gets to see.</summary>
public interface IScenarioContext
{
    TestInfo TestInfo { get; }
    ScenarioInfo ScenarioInfo { get; }
    NodeInfo NodeInfo { get; }
    ILogger Logger { get; }

    /// <summary>How often this copy has run, from 1.</summary>
    long InvocationNumber { get; }

    /// <summary>Values of this iteration; empty at its start.</summary>
    Dictionary<string, object> Data { get; }

    /// <summary>Values of this copy; kept between its iterations.</summary>
    Dictionary<string, object> ScenarioInstanceData { get; }

    /// <summary>
    /// Cancelled when nothing more starts and the iteration still runs: the scenario's schedule has ended, or was stopped. The last of a
    /// number of iterations are cancelled when the completion timeout has passed.
    /// </summary>
    CancellationToken ScenarioCancellationToken { get; }

    /// <summary>Seeded by the copy's number, so that a run can be repeated.</summary>
    Random Random { get; }

    /// <summary>Starts nothing more in that scenario; what runs may end.</summary>
    void StopScenario(string scenarioName, string reason);

    /// <summary>Starts nothing more in any scenario; what runs may end.</summary>
    void StopCurrentTest(string reason);
}

/// <summary>What preparation and tidying up get to see.</summary>
public interface IScenarioInitContext
{
    TestInfo TestInfo { get; }
    ScenarioInfo ScenarioInfo { get; }
    NodeInfo NodeInfo { get; }

    /// <summary>The scenario's part of the JSON configuration; empty where it has none.</summary>
    IConfiguration CustomSettings { get; }

    /// <summary>The part of the JSON configuration for all scenarios; empty where there is none.</summary>
    IConfiguration GlobalCustomSettings { get; }

    ScenarioPartition ScenarioPartition { get; }
    ILogger Logger { get; }
}

/// <summary>A scenario and its settings. Immutable: every <c>With</c> returns a new value.</summary>
public sealed record ScenarioProps
{
    public string ScenarioName { get; internal init; }
    public Func<IScenarioInitContext, Task> Init { get; internal init; }
    public Func<IScenarioInitContext, Task> Clean { get; internal init; }

    /// <summary>Null for a scenario of preparation and tidying up alone.</summary>
    public Func<IScenarioContext, Task<IResponse>> Run { get; internal init; }

    /// <summary>Null for none. Default 30 s.</summary>
    public TimeSpan? WarmUpDuration { get; internal init; } = TimeSpan.FromSeconds(30);

    /// <summary>Default: one copy for a minute.</summary>
    public IReadOnlyList<LoadSimulation> LoadSimulations { get; internal init; } =
        [BuiltIn.Simulation.KeepConstant(1, TimeSpan.FromMinutes(1))];

    public IReadOnlyList<Threshold> Thresholds { get; internal init; } = [];

    /// <summary>Whether a failed step ends its iteration. Default true.</summary>
    public bool RestartIterationOnFail { get; internal init; } = true;

    /// <summary>So many failed iterations stop the test. Default 5,000.</summary>
    public int MaxFailCount { get; internal init; } = 5_000;

    /// <summary>The scenario's part of the load of all scenarios with a weight; null for its own load.</summary>
    public int? Weight { get; internal init; }
}

/// <summary>
/// One stretch of load: a simulation of the built-in API, to and from which it converts. What that refuses is made of what it takes: no
/// copies, or a rate of 0, is a pause, and copies that find nothing to do are left out.
/// </summary>
public sealed record LoadSimulation
{
    private LoadSimulation(BuiltIn.LoadSimulation builtIn) => Value = builtIn;

    public BuiltIn.LoadSimulation Value { get; }

    public static implicit operator LoadSimulation(BuiltIn.LoadSimulation builtIn) => new(builtIn);

    public static implicit operator BuiltIn.LoadSimulation(LoadSimulation simulation) => simulation.Value;

    /// <inheritdoc cref="BuiltIn.Simulation.RampingConstant"/>
    public static LoadSimulation NewRampingConstant(int _copies, TimeSpan _during) => BuiltIn.Simulation.RampingConstant(_copies, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.KeepConstant"/>
    public static LoadSimulation NewKeepConstant(int _copies, TimeSpan _during) =>
        _copies == 0 ? BuiltIn.Simulation.Pause(_during) : BuiltIn.Simulation.KeepConstant(_copies, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.RampingInject"/>
    public static LoadSimulation NewRampingInject(int _rate, TimeSpan _interval, TimeSpan _during) =>
        BuiltIn.Simulation.RampingInject(_rate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.Inject"/>
    public static LoadSimulation NewInject(int _rate, TimeSpan _interval, TimeSpan _during) =>
        _rate == 0 ? BuiltIn.Simulation.Pause(_during) : BuiltIn.Simulation.Inject(_rate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.InjectRandom"/>
    public static LoadSimulation NewInjectRandom(int _minRate, int _maxRate, TimeSpan _interval, TimeSpan _during) =>
        _maxRate == 0 ? BuiltIn.Simulation.Pause(_during) : BuiltIn.Simulation.InjectRandom(_minRate, _maxRate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForConstant"/>
    public static LoadSimulation NewIterationsForConstant(int _copies, int _iterations) =>
        BuiltIn.Simulation.IterationsForConstant(Math.Min(_copies, Math.Max(_iterations, 1)), _iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForInject"/>
    public static LoadSimulation NewIterationsForInject(int _rate, TimeSpan _interval, int _iterations) =>
        BuiltIn.Simulation.IterationsForInject(_rate, _interval, _iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.Pause"/>
    public static LoadSimulation NewPause(TimeSpan _during) => BuiltIn.Simulation.Pause(_during);

    public override string ToString() => Value.ToString();
}

/// <summary>
/// A rule on a scenario or one of its steps. It is checked on what each reporting interval measured, where anything ended in it, and on the
/// final result, where what never ran does not pass.
/// </summary>
public sealed class Threshold
{
    private Threshold(string expression, int? abortWhenErrorCount, TimeSpan? startCheckAfter)
    {
        if (abortWhenErrorCount < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(abortWhenErrorCount), abortWhenErrorCount,
                $"Threshold '{expression}' is to abort after {abortWhenErrorCount} errors; it is at least 1, or null for never.");
        }

        (CheckExpression, AbortWhenErrorCount, StartCheckAfter) = (expression, abortWhenErrorCount, startCheckAfter);
    }

    /// <summary>Empty for a rule on the scenario.</summary>
    public string StepName { get; private init; } = "";

    public Func<StepStats, bool> CheckStep { get; private init; }
    public Func<ScenarioStats, bool> CheckScenario { get; private init; }

    /// <summary>So many failed checks stop the test; null for never.</summary>
    public int? AbortWhenErrorCount { get; }

    /// <summary>Intervals that end earlier are not checked; null for at once.</summary>
    public TimeSpan? StartCheckAfter { get; }

    /// <summary>The rule as it is written in the source.</summary>
    internal string CheckExpression { get; }

    /// <param name="checkScenario">True where the scenario is good enough.</param>
    /// <param name="abortWhenErrorCount">So many failed checks stop the test; null for never.</param>
    /// <param name="startCheckAfter">Intervals that end earlier are not checked; null for at once.</param>
    /// <param name="expression">The rule in the reports; the compiler gives its source.</param>
    public static Threshold Create(
        Func<ScenarioStats, bool> checkScenario, int? abortWhenErrorCount = null, TimeSpan? startCheckAfter = null,
        [CallerArgumentExpression(nameof(checkScenario))] string expression = "")
    {
        ArgumentNullException.ThrowIfNull(checkScenario);
        return new Threshold(expression, abortWhenErrorCount, startCheckAfter) { CheckScenario = checkScenario };
    }

    /// <param name="stepName">The step.</param>
    /// <param name="checkStep">True where the step is good enough.</param>
    /// <inheritdoc cref="Create(Func{ScenarioStats, bool}, int?, TimeSpan?, string)"/>
    public static Threshold Create(
        string stepName, Func<StepStats, bool> checkStep, int? abortWhenErrorCount = null, TimeSpan? startCheckAfter = null,
        [CallerArgumentExpression(nameof(checkStep))] string expression = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(stepName);
        ArgumentNullException.ThrowIfNull(checkStep);
        return new Threshold(expression, abortWhenErrorCount, startCheckAfter) { StepName = stepName, CheckStep = checkStep };
    }
}
