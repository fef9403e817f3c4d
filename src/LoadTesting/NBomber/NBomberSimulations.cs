using NBomber.Contracts;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>Says a load in NBomber's words, by what it has had since 4.1.2.</summary>
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
            : throw new NotSupportedException($"Scenario '{scenario.Name}' changes its copies ({string.Join(", ", counted)}) between numbers of iterations, which the load engine nbomber cannot do; use the built-in one.");
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
