using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class HelloWorldExample
{
    public NodeStats Run()
    {
        var scenario = Scenario.Create("hello_world", async context =>
            {
                await Task.Delay(10);

                return Response.Ok(statusCode: "200", sizeBytes: 100);
            })
            .WithoutWarmUp()
            .WithLoadSimulations(
                Simulation.IterationsForInject(rate: 50, interval: TimeSpan.FromSeconds(1), iterations: 25));

        return NBomberRunner
            .RegisterScenarios(scenario)
            .WithTestSuite("examples")
            .WithTestName("hello world")
            .WithoutReports()
            .Run();
    }
}
