using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using Microsoft.Extensions.Configuration;

namespace CompatibilityTests.Examples;

public class CustomScenarioSettings
{
    public int MyTestField { get; set; }
    public int MyPauseMs { get; set; }
}

public class GlobalScenarioSettings
{
    public string ConnectionString { get; set; } = "";
}

public class CustomSettingsExample
{
    public CustomScenarioSettings Custom { get; private set; } = new();
    public GlobalScenarioSettings Global { get; private set; } = new();

    public NodeStats Run() => Create()
        .LoadConfig("Examples/config.json")
        .WithTestSuite("my test suite")
        .WithTestName("my test name")
        .WithTargetScenarios("my_scenario")
        .WithReportFolder(Path.Combine(Path.GetTempPath(), $"custom-settings-{Guid.NewGuid():N}"))
        .WithReportingInterval(TimeSpan.FromSeconds(10))
        .Run();

    public NodeStats RunByArguments() => Create().WithoutReports().Run(
        "--config", "Examples/config.json",
        "--infra", "Examples/infra-config.json",
        "--target", "my_scenario", "other_scenario",
        "--session-id=my_session");

    private NBomberContext Create()
    {
        var scenario = Scenario.Create("my_scenario", async context =>
        {
            await Step.Run("step", context, async () =>
            {
                await Task.Delay(Custom.MyPauseMs);
                context.Logger.Debug("step received CustomSettings.MyTestField '{0}'", Custom.MyTestField);
                return Response.Ok();
            });

            return Response.Ok();
        })
        .WithInit(Init)
        .WithWarmUpDuration(TimeSpan.FromSeconds(10))
        .WithLoadSimulations(
            Simulation.Inject(rate: 50, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromMinutes(1)))
        .WithMaxFailCount(1_000);

        var other = Scenario.Create("other_scenario", async context =>
        {
            await Task.Delay(1);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 5));

        return NBomberRunner.RegisterScenarios(scenario, other);
    }

    private Task Init(IScenarioInitContext initContext)
    {
        Custom = initContext.CustomSettings.Get<CustomScenarioSettings>()!;
        Global = initContext.GlobalCustomSettings.Get<GlobalScenarioSettings>()!;
        initContext.Logger.Information("CustomSettings.MyTestField is '{0}'", Custom.MyTestField);
        return Task.CompletedTask;
    }
}
