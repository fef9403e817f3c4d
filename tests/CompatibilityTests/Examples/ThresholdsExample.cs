using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class ThresholdsExample
{
    public NodeStats Run()
    {
        var scenario = Scenario.Create("thresholds", async context =>
        {
            await Step.Run("step_1", context, async () =>
            {
                await Task.Delay(5);
                return context.InvocationNumber % 10 == 0
                    ? Response.Fail(statusCode: "404", message: "not there")
                    : Response.Ok(statusCode: "200", sizeBytes: 2000);
            });

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 100))
        .WithThresholds(
            Threshold.Create(scenarioStats => scenarioStats.Fail.Request.Percent <= 10),
            Threshold.Create("step_1", stepStats => stepStats.Fail.Request.Percent < 5),
            Threshold.Create(scenarioStats => scenarioStats.Ok.StatusCodes.Find("200")?.Percent >= 80),
            Threshold.Create(scenarioStats => !scenarioStats.Fail.StatusCodes.Exists("503"),
                startCheckAfter: TimeSpan.FromSeconds(10)),
            Threshold.Create("step_2", stepStats => stepStats.Fail.Request.Count == 0));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }

    // Aborts in its third second.
    public NodeStats RunUntilAbort()
    {
        var scenario = Scenario.Create("abort", async context =>
        {
            await Task.Delay(20);
            return Response.Fail(statusCode: "503");
        })
        .WithoutWarmUp()
        .WithLoadSimulations(
            Simulation.Inject(rate: 20, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromMinutes(1)))
        .WithThresholds(
            Threshold.Create(scenarioStats => scenarioStats.Fail.Request.Percent < 10, abortWhenErrorCount: 2));

        return NBomberRunner
            .RegisterScenarios(scenario)
            .WithReportingInterval(TimeSpan.FromSeconds(1))
            .WithoutReports()
            .Run();
    }
}
