using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class DynamicWorkloadExample
{
    public NodeStats Run()
    {
        var items = new[] { ("read", 70), ("write", 20), ("delete", 10) };

        var scenario = Scenario.Create("dynamic_workload", async context =>
        {
            // By weight.
            switch (context.Random.Choice(items))
            {
                case "read":
                    await Work("read", context);
                    break;
                case "write":
                    await Work("write", context);
                    break;
                case "delete":
                    await Work("delete", context);
                    break;
            }

            // By the copy's number.
            await Work(context.ScenarioInfo.InstanceNumber % 4 < 3 ? "mostly" : "rarely", context);

            // By Zipf's law: the first step most often.
            await Work($"page_{context.Random.Zipf(n: 5, s: 1.3)}", context);

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 4, iterations: 400));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }

    private static Task Work(string name, IScenarioContext context) => Step.Run(name, context, async () =>
    {
        await Task.Yield();
        return Response.Ok();
    });
}
