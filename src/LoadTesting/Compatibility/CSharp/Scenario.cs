using System.Runtime.CompilerServices;
using LoadTesting.Contracts;
using LoadTesting.Running;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.CSharp;

/// <summary>Makes scenarios, and sets what they are run with.</summary>
public static class Scenario
{
    /// <param name="name">Unique within a session; not empty.</param>
    /// <param name="run">One iteration. A thrown exception is a failed iteration.</param>
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(run);
        return new ScenarioProps { ScenarioName = name, Run = run };
    }

    /// <summary>A scenario of preparation and tidying up alone.</summary>
    public static ScenarioProps Empty(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new ScenarioProps { ScenarioName = name };
    }

    public static ScenarioProps WithInit(this ScenarioProps scenario, Func<IScenarioInitContext, Task> initFunc) =>
        scenario with { Init = initFunc };

    /// <summary>Runs after the load, also when that failed. A failure of its own is logged.</summary>
    public static ScenarioProps WithClean(this ScenarioProps scenario, Func<IScenarioInitContext, Task> cleanFunc) =>
        scenario with { Clean = cleanFunc };

    /// <summary>Load before the load, whose measurements are dropped. Longer than zero.</summary>
    public static ScenarioProps WithWarmUpDuration(this ScenarioProps scenario, TimeSpan duration) =>
        scenario with { WarmUpDuration = duration };

    public static ScenarioProps WithoutWarmUp(this ScenarioProps scenario) => scenario with { WarmUpDuration = null };

    /// <summary>The load, one after the other.</summary>
    public static ScenarioProps WithLoadSimulations(this ScenarioProps scenario, params LoadSimulation[] loadSimulations) =>
        scenario with { LoadSimulations = loadSimulations };

    public static ScenarioProps WithThresholds(this ScenarioProps scenario, params Threshold[] thresholds) =>
        scenario with { Thresholds = thresholds };

    public static ScenarioProps WithRestartIterationOnFail(this ScenarioProps scenario, bool shouldRestart) =>
        scenario with { RestartIterationOnFail = shouldRestart };

    public static ScenarioProps WithMaxFailCount(this ScenarioProps scenario, int maxFailCount) =>
        scenario with { MaxFailCount = maxFailCount };

    /// <summary>
    /// All scenarios with a weight share the sum of their loads by it: of n of them, one with weight w of W in all runs n · w / W times its
    /// own load.
    /// </summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="weight">At least 1.</param>
    public static ScenarioProps WithWeight(this ScenarioProps scenario, int weight) => scenario with { Weight = weight };
}

/// <summary>Times a named part of an iteration.</summary>
public static class Step
{
    /// <summary>
    /// Runs <paramref name="run"/> and records it under <paramref name="name"/>. A failure ends the iteration unless
    /// <c>WithRestartIterationOnFail(false)</c>.
    /// </summary>
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run)
    {
        var iteration = Iteration.Of(context);
        return BuiltIn.Step.Run(name, iteration, run, iteration.Failed<T>);
    }
}

/// <summary>Makes responses. <c>Ok</c> takes the size before the message, <c>Fail</c> the message before the size. What is not 0 in
/// <c>latencyMs</c> is recorded in place of the measured time. A bare string is a status code.</summary>
public static class Response
{
    private static readonly Response<object> s_ok = new("", false, 0, "", null);

    private static readonly Response<object> s_fail = new("", true, 0, "", null);

    [OverloadResolutionPriority(2)]
    public static Response<object> Ok() => s_ok;

    [OverloadResolutionPriority(2)]
    public static Response<object> Fail() => s_fail;

    [OverloadResolutionPriority(1)]
    public static Response<object> Ok(string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Ok<T>(string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Ok<T>(T payload, string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, message, new Option<T>(payload)) { LatencyMs = latencyMs };

    [OverloadResolutionPriority(1)]
    public static Response<object> Fail(string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Fail<T>(string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, null) { LatencyMs = latencyMs };

    public static Response<T> Fail<T>(T payload, string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, message, new Option<T>(payload)) { LatencyMs = latencyMs };
}

/// <summary>Makes the load of a scenario: the simulations of the built-in API, where none or a rate of 0 is a pause.</summary>
public static class Simulation
{
    /// <inheritdoc cref="BuiltIn.Simulation.RampingConstant"/>
    public static LoadSimulation RampingConstant(int copies, TimeSpan during) => BuiltIn.Simulation.RampingConstant(copies, during);

    /// <inheritdoc cref="BuiltIn.Simulation.KeepConstant"/>
    public static LoadSimulation KeepConstant(int copies, TimeSpan during) =>
        LoadSimulation.NewKeepConstant(copies, during);

    /// <inheritdoc cref="BuiltIn.Simulation.RampingInject"/>
    public static LoadSimulation RampingInject(int rate, TimeSpan interval, TimeSpan during) =>
        BuiltIn.Simulation.RampingInject(rate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.Inject"/>
    public static LoadSimulation Inject(int rate, TimeSpan interval, TimeSpan during) =>
        LoadSimulation.NewInject(rate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.InjectRandom"/>
    public static LoadSimulation InjectRandom(int minRate, int maxRate, TimeSpan interval, TimeSpan during) =>
        LoadSimulation.NewInjectRandom(minRate, maxRate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForConstant"/>
    public static LoadSimulation IterationsForConstant(int copies, int iterations) =>
        LoadSimulation.NewIterationsForConstant(copies, iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForInject"/>
    public static LoadSimulation IterationsForInject(int rate, TimeSpan interval, int iterations) =>
        BuiltIn.Simulation.IterationsForInject(rate, interval, iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.Pause"/>
    public static LoadSimulation Pause(TimeSpan during) => BuiltIn.Simulation.Pause(during);
}

/// <summary>Whether a payload is there.</summary>
public static class OptionExtensions
{
    public static bool IsSome<T>(this Option<T> option) => option is not null;

    public static bool IsNone<T>(this Option<T> option) => option is null;
}

/// <summary>Distributions that a load is often made of.</summary>
public static class RandomExtensions
{
    /// <summary>One of the items, each with a probability of its share of all weights.</summary>
    /// <param name="random">The source of randomness.</param>
    /// <param name="items">At least one; weights are at least 0, and not all 0.</param>
    public static T Choice<T>(this Random random, IReadOnlyList<(T Item, int Weight)> items)
    {
        ArgumentNullException.ThrowIfNull(random);
        ArgumentNullException.ThrowIfNull(items);
        var all = 0L;
        foreach (var (item, weight) in items)
        {
            all += weight >= 0
                ? weight
                : throw new ArgumentOutOfRangeException(nameof(items), weight, $"Item '{item}' has the weight {weight}; it is at least 0.");
        }

        var left = all > 0
            ? random.NextInt64(all)
            : throw new ArgumentException($"{items.Count} items have no weight in all; give at least one of them a weight.", nameof(items));
        var index = 0;
        while (left >= items[index].Weight)
        {
            left -= items[index++].Weight;
        }

        return items[index].Item;
    }

    /// <summary>
    /// A number from 1 to <paramref name="n"/>, k with a probability proportional to k^-s. By rejection-inversion (W. Hörmann and
    /// G. Derflinger, ACM TOMACS 6(3), 1996): the time does not grow with n.
    /// </summary>
    /// <param name="random">The source of randomness.</param>
    /// <param name="n">At least 1.</param>
    /// <param name="s">Greater than 0.</param>
    public static int Zipf(this Random random, int n, double s)
    {
        ArgumentNullException.ThrowIfNull(random);
        ArgumentOutOfRangeException.ThrowIfLessThan(n, 1);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(s);
        if (n == 1)
        {
            return 1;
        }

        var first = Integral(1.5, s) - 1;
        var last = Integral(n + 0.5, s);
        var accepted = 2 - InverseIntegral(Integral(2.5, s) - Math.Pow(2, -s), s);
        while (true)
        {
            var u = last + (random.NextDouble() * (first - last));
            var x = InverseIntegral(u, s);
            var k = Math.Clamp((int)(x + 0.5), 1, n);
            if (k - x <= accepted || u >= Integral(k + 0.5, s) - Math.Pow(k, -s))
            {
                return k;
            }
        }
    }

    /// <summary>The integral of x^-s, up to a constant; continuous in s = 1, where it is the logarithm.</summary>
    private static double Integral(double x, double s) =>
        Math.Abs(s - 1) < 1e-9 ? Math.Log(x) : (Math.Pow(x, 1 - s) - 1) / (1 - s);

    private static double InverseIntegral(double y, double s) =>
        Math.Abs(s - 1) < 1e-9 ? Math.Exp(y) : Math.Pow(Math.Max(0, 1 + (y * (1 - s))), 1 / (1 - s));
}
