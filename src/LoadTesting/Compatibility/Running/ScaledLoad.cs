using LoadTesting.Contracts;
using LoadTesting.Core.Load.Simulations;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Scales loads by weight, and replaces loads that start nothing.</summary>
internal static class ScaledLoad
{
    /// <summary>
    /// The load times a factor. Rates are exact within whole iterations; copies are rounded, and at least one.
    /// </summary>
    public static BuiltIn.LoadSimulation Of(BuiltIn.LoadSimulation load, long numerator, long denominator)
    {
        var factor = (double)numerator / denominator;
        return load switch
        {
            InjectSimulation s => Whole(s.Rate * (s.During / s.Interval) * factor) is > 0 and var rate
                ? BuiltIn.Simulation.Inject(rate, s.During, s.During, s.Pattern, s.Seed)
                : BuiltIn.Simulation.Pause(s.During),
            RampingInjectSimulation s =>
                BuiltIn.Simulation.RampingInject(Whole(s.Rate * (s.During / s.Interval) * factor), s.During, s.During),
            InjectRandomSimulation s =>
                BuiltIn.Simulation.InjectRandom(
                    Whole(s.MinRate * factor), Least(s.MaxRate * factor), s.Interval, s.During, s.Seed),
            IterationsForInjectSimulation s =>
                BuiltIn.Simulation.IterationsForInject(
                    Whole((double)s.Rate * numerator), s.Interval * denominator, Least(s.Iterations * factor)),
            KeepConstantSimulation s => BuiltIn.Simulation.KeepConstant(Least(s.Copies * factor), s.During),
            RampingConstantSimulation s => BuiltIn.Simulation.RampingConstant(Whole(s.Copies * factor), s.During),
            IterationsForConstantSimulation s => BuiltIn.Simulation.IterationsForConstant(
                Math.Min(Least(s.Copies * factor), Least(s.Iterations * factor)), Least(s.Iterations * factor)),
            _ => load,
        };
    }

    /// <summary>
    /// Returns the load if the built-in API accepts it, so that an invalid load fails when it is created and not when
    /// it runs.
    /// </summary>
    /// <exception cref="ArgumentException">The load is empty or contains only pauses.</exception>
    public static IReadOnlyList<LoadSimulation> Checked(string name, IReadOnlyList<LoadSimulation> load)
    {
        BuiltIn.Scenario.Create(name, _ => throw new InvalidOperationException()).WithMixedLoadSimulations(
            [.. WithoutEmptyRamps((load ?? throw new ArgumentNullException(nameof(load)))
                .Select(simulation => simulation.Value))]);
        return load;
    }

    /// <summary>A ramp from 0 to 0, which the built-in API refuses, is a pause.</summary>
    public static IEnumerable<BuiltIn.LoadSimulation> WithoutEmptyRamps(IEnumerable<BuiltIn.LoadSimulation> load)
    {
        BuiltIn.LoadSimulation previous = null;
        foreach (var simulation in load)
        {
            previous = simulation switch
            {
                RampingInjectSimulation { Rate: 0 } s when !LeavesArrivals(previous) =>
                    BuiltIn.Simulation.Pause(s.During),
                RampingConstantSimulation { Copies: 0 } s when previous is not ClosedSimulation { Copies: > 0 } =>
                    BuiltIn.Simulation.Pause(s.During),
                _ => simulation,
            };
            yield return previous;
        }
    }

    private static bool LeavesArrivals(BuiltIn.LoadSimulation previous) =>
        previous is OpenSimulation and not RampingInjectSimulation { Rate: 0 };

    private static int Whole(double value) => checked((int)Math.Round(value, MidpointRounding.AwayFromZero));

    private static int Least(double value) => Math.Max(1, Whole(value));
}
