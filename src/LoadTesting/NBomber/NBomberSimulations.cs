using NBomber.Contracts;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>Translates loads to simulations of NBomber 4.1.2.</summary>
internal static class NBomberSimulations
{
    /// <summary>Upper limit for loads that end after a number of iterations.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private const string AtRandom = "at random inside each interval, without a seed";

    /// <exception cref="NotSupportedException">NBomber has no such load.</exception>
    public static LoadSimulation[] Of(Ours.Engines.DrivenScenario scenario)
    {
        var counted = scenario.Simulations.OfType<Ours.Simulations.IterationsForConstantSimulation>()
            .Select(simulation => simulation.Copies).ToArray();
        if (counted.Length == 0)
        {
            return [.. scenario.Simulations.Select(Of)];
        }

        // Consecutive loads with fixed numbers of iterations are one load for NBomber; the scenario limits what starts.
        return counted.Distinct().Count() == 1
            ? [Simulation.KeepConstant(counted[0], s_longest)]
            : throw new NotSupportedException(
                $"Scenario '{scenario.Name}' changes its copies ({string.Join(", ", counted)}) between "
                + "numbers of iterations, which the load engine nbomber cannot do; use the built-in one.");
    }

    /// <summary>Describes a load as NBomber runs it: it times arrivals differently.</summary>
    public static string Describe(Ours.LoadSimulation simulation) => simulation switch
    {
        Ours.Simulations.InjectSimulation s => Text($"inject {s.Rate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.Simulations.RampingInjectSimulation s =>
            Text($"ramping inject from {s.FromRate:0.######} to {s.Rate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.Simulations.InjectRandomSimulation s =>
            Text($"inject {s.MinRate} to {s.MaxRate} per {s.Interval} for {s.During}, {AtRandom}"),
        Ours.Simulations.IterationsForInjectSimulation s =>
            Text($"inject {s.Iterations} iterations, {s.Rate} per {s.Interval}, {AtRandom}"),
        _ => simulation.ToString(),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static LoadSimulation Of(Ours.LoadSimulation simulation) => simulation switch
    {
        Ours.Simulations.KeepConstantSimulation s => Simulation.KeepConstant(s.Copies, s.During),
        Ours.Simulations.RampingConstantSimulation s => Simulation.RampingConstant(s.Copies, s.During),
        Ours.Simulations.InjectSimulation s => Simulation.Inject(s.Rate, s.Interval, s.During),
        Ours.Simulations.RampingInjectSimulation s => Simulation.RampingInject(s.Rate, s.Interval, s.During),
        // NBomber excludes the maximum, this model includes it.
        Ours.Simulations.InjectRandomSimulation s =>
            Simulation.InjectRandom(s.MinRate, checked(s.MaxRate + 1), s.Interval, s.During),
        Ours.Simulations.IterationsForInjectSimulation s =>
            Simulation.Inject(s.Rate, s.Interval, s.During + s.Interval),
        Ours.Simulations.PauseSimulation s => Simulation.Pause(s.During),
        _ => throw new NotSupportedException($"The load engine nbomber has no load of the kind "
            + $"'{simulation}'; use the built-in one."),
    };
}
