using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class ParallelScenariosExample
{
    private int _running;

    public int MostAtOnce;

    public NodeStats Run()
    {
        var scenario1 = Scenario.Create("scenario_1", async context =>
        {
            await WorkAsync();
            return Response.Ok(statusCode: "200", sizeBytes: 1000);
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 2, iterations: 40));

        var scenario2 = Scenario.Create("scenario_2", async context =>
        {
            await WorkAsync();
            return Response.Ok(statusCode: "203");
        })
        .WithWarmUpDuration(TimeSpan.FromSeconds(1))
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 3, iterations: 60));

        return NBomberRunner.RegisterScenarios(scenario1, scenario2).WithoutReports().Run();
    }

    // Both share one load: four of five iterations are reads.
    public NodeStats RunWeighted()
    {
        var read = Scenario.Create("read", async context =>
        {
            await Task.Delay(5);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(
            Simulation.Inject(rate: 100, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromSeconds(1)))
        .WithWeight(80);

        var write = Scenario.Create("write", async context =>
        {
            await Task.Delay(5);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(
            Simulation.Inject(rate: 100, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromSeconds(1)))
        .WithWeight(20);

        return NBomberRunner.RegisterScenarios(read, write).WithoutReports().Run();
    }

    private async Task WorkAsync()
    {
        var running = Interlocked.Increment(ref _running);
        lock (this)
        {
            MostAtOnce = Math.Max(MostAtOnce, running);
        }

        await Task.Delay(10);
        Interlocked.Decrement(ref _running);
    }
}
