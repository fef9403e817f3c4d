using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class StopExample
{
    // One scenario stops the other one, which would run for a minute, and ends its own load.
    public NodeStats RunStopScenario()
    {
        var background = Scenario.Create("background", async context =>
        {
            await Task.Delay(5);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.KeepConstant(copies: 2, during: TimeSpan.FromMinutes(1)));

        var foreground = Scenario.Create("foreground", async context =>
        {
            await Task.Delay(5);
            if (context.InvocationNumber == 10)
            {
                context.StopScenario("background", "enough");
            }

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 50));

        return NBomberRunner.RegisterScenarios(background, foreground).WithoutReports().Run();
    }

    public NodeStats RunStopTest()
    {
        var scenario = Scenario.Create("stops_the_test", async context =>
        {
            await Task.Delay(1);
            context.ScenarioInstanceData["seen"] = (int)context.ScenarioInstanceData.GetValueOrDefault("seen", 0) + 1;
            if ((int)context.ScenarioInstanceData["seen"] == 5)
            {
                context.StopCurrentTest("five are enough");
            }

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.KeepConstant(copies: 1, during: TimeSpan.FromMinutes(1)));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }

    // The iteration takes longer than the load lasts, and is waited for.
    public NodeStats RunWithCompletionTimeout()
    {
        var scenario = Scenario.Create("slow", async context =>
        {
            await Task.Delay(1_500);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.KeepConstant(copies: 1, during: TimeSpan.FromSeconds(1)));

        return NBomberRunner
            .RegisterScenarios(scenario)
            .WithScenarioCompletionTimeout(TimeSpan.FromSeconds(10))
            .WithoutReports()
            .Run();
    }
}
