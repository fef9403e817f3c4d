using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class LoadShapesExample
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(500);

    // Starts late, rises, holds, falls.
    public NodeStats RunDelayed() => Run(
        Simulation.Pause(during: Moment),
        Simulation.RampingInject(rate: 40, interval: Moment, during: Moment),
        Simulation.Inject(rate: 40, interval: Moment, during: Moment),
        Simulation.InjectRandom(minRate: 10, maxRate: 20, interval: Moment, during: Moment),
        Simulation.RampingInject(rate: 0, interval: Moment, during: Moment));

    // Copies first, then arrivals: both in one scenario.
    public NodeStats RunMixed() => Run(
        Simulation.RampingConstant(copies: 3, during: Moment),
        Simulation.KeepConstant(copies: 3, during: Moment),
        Simulation.KeepConstant(copies: 0, during: Moment),
        Simulation.Inject(rate: 20, interval: Moment, during: Moment));

    private static NodeStats Run(params LoadSimulation[] loadSimulations)
    {
        var scenario = Scenario.Create("load_shapes", async context =>
        {
            await Task.Delay(20);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(loadSimulations);

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
