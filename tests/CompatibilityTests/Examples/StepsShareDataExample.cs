using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class StepsShareDataExample
{
    public NodeStats Run()
    {
        var scenario = Scenario.Create("checkout", async context =>
        {
            // By the response of a step.
            var basket = await Step.Run("create_basket", context, async () =>
            {
                await Task.Delay(5);
                return Response.Ok(payload: $"basket of {context.ScenarioInfo.InstanceId}", sizeBytes: 10);
            });

            // By the data of the iteration.
            await Step.Run("add_book", context, async () =>
            {
                await Task.Delay(5);
                context.Data["books"] = 3;
                return Response.Ok(statusCode: "201", sizeBytes: 20);
            });

            // By a variable.
            var paid = 0;
            await Step.Run("pay", context, async () =>
            {
                await Task.Delay(5);
                paid = (int)context.Data["books"] * 10;
                return Response.Ok(statusCode: "200", sizeBytes: 30);
            });

            return basket.Payload.IsSome() && basket.Payload.Value.StartsWith("basket of checkout_") && paid == 30
                ? Response.Ok(sizeBytes: 40)
                : Response.Fail(statusCode: "500");
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 4, iterations: 20));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
