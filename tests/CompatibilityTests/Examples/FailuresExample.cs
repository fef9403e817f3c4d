using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class FailuresExample
{
    // A step is repeated until it succeeds: the iteration goes on when it fails.
    public NodeStats RunWithRetry()
    {
        var scenario = Scenario.Create("retry", async context =>
        {
            var counter = 0;
            var response = Response.Fail<string>();
            while (response.IsError)
            {
                response = await Step.Run("step_1", context, async () =>
                {
                    await Task.Delay(1);
                    return ++counter == 3 ? Response.Ok(payload: "done") : Response.Fail<string>(statusCode: "busy");
                });
            }

            return response.Payload.Value == "done" ? Response.Ok() : Response.Fail();
        })
        .WithRestartIterationOnFail(false)
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 2, iterations: 10));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }

    // A failed step, a timeout and an exception each end their iteration.
    public NodeStats RunWithErrors()
    {
        var scenario = Scenario.Create("errors", async context =>
        {
            switch (context.InvocationNumber % 4)
            {
                case 1:
                    await Step.Run(
                        "fails", context, () => Task.FromResult(Response.Fail(statusCode: "404", sizeBytes: 5)));
                    throw new InvalidOperationException("a failed step ends the iteration");
                case 2:
                    using (var timeout = new CancellationTokenSource(5))
                    {
                        await Task.Delay(60_000, timeout.Token);
                    }

                    break;
                case 3:
                    throw new InvalidOperationException("broken");
            }

            return Response.Ok(latencyMs: 250);
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 40));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }

    // Too many failures stop the test.
    public NodeStats RunUntilMaxFailCount()
    {
        var scenario = Scenario.Create("too_many", async context =>
        {
            await Task.Delay(1);
            return Response.Fail();
        })
        .WithMaxFailCount(7)
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 1000));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
