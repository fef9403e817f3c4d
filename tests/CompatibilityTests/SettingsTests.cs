using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Data;
using LoadTesting.Data.CSharp;
using LoadTesting.Running;

namespace CompatibilityTests;

/// <summary>Every setting of a JSON configuration is applied or refused, and none is ignored.</summary>
public sealed class SettingsTests
{
    [Theory]
    [InlineData("""{ "OkLatency": "p99 < 80" }""", true, true)]
    [InlineData("""{ "OkDataTransfer": "max < 80" }""", true, true)]
    [InlineData("""{ "FailRequest": "Percent < 1" }""", true, true)]
    [InlineData("""{ "OkRequest": "Count = 0" }""", true, false)]
    [InlineData("""{ "FailLatency": "p99 < 8000" }""", false, false)]
    [InlineData("""{ "OkLatency": "p99 < 8000" }""", false, false)]
    public void Threshold_on_latency_fails_without_successes(string threshold, bool fails, bool isMissed)
    {
        var result = Run(fails, threshold);

        Assert.Equal([isMissed], result.Thresholds.Select(one => one.IsFailed));
    }

    [Fact]
    public void Each_rule_of_a_threshold_is_judged()
    {
        var result = Run(fails: true, """{ "OkRequest": "Count = 0", "FailRequest": "Percent < 1" }""");

        Assert.Equal(
            [("OkRequest: Count = 0", false), ("FailRequest: Percent < 1", true)],
            result.Thresholds.Select(one => (one.CheckExpression, one.IsFailed)).OrderBy(one => one.IsFailed));
    }

    [Fact]
    public void Settings_of_a_scenario_that_is_not_there_are_refused()
    {
        const string Json = """{ "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "tow" }] } }""";

        var context = NBomberRunner.RegisterScenarios(Three()).LoadConfig(Json).WithoutReports();

        var refused = Assert.Throws<ArgumentException>(() => context.Run());

        Assert.Contains("The configuration has settings of a scenario 'tow', which is not registered, only 'three'",
            refused.Message);
    }

    [Theory]
    [InlineData("""{ "ScenarioCompletionTimeout": "00:00:00" }""")]
    [InlineData("""{ "GlobalSettings": { "ScenarioCompletionTimeout": "00:00:00" } }""")]
    public void Completion_timeout_of_a_file_goes_before_that_of_the_code(string json)
    {
        var context = NBomberRunner.RegisterScenarios(Three()).WithScenarioCompletionTimeout(TimeSpan.FromMinutes(1))
            .LoadConfig(json);

        var refused = Assert.Throws<ArgumentException>(() => context.WithoutReports().Run());

        Assert.Contains("CompletionTimeout is 00:00:00", refused.Message);
    }

    [Theory]
    [InlineData("""{ "GlobalSettings": { "DisplayConsoleMetrics": false } }""", "", false)]
    [InlineData("""{ "DisplayConsoleMetrics": false }""", "", false)]
    [InlineData("""{ "DisplayConsoleMetrics": false }""", "--display-console-metrics=true", true)]
    [InlineData("""{ "DisplayConsoleMetrics": true }""", "--display-console-metrics=false", false)]
    [InlineData("""{ }""", "--session-id=x", true)]
    public void File_and_command_line_say_whether_the_result_is_printed(string json, string argument, bool isPrinted)
    {
        var context = NBomberRunner.RegisterScenarios(Three()).DisplayConsoleMetrics(!isPrinted || json == "{ }")
            .LoadConfig(json);

        var session = new Session(
            CommandLineArguments.Apply(context, argument.Length == 0 ? [] : [argument]), TimeProvider.System);

        Assert.Equal(isPrinted, session.PrintsToConsole);
    }

    [Fact]
    public void Random_data_are_others_each_time_unless_a_seed_is_given()
    {
        var info = new ScenarioInfo();
        int[] Draw(IDataFeed<int> feed) => [.. Enumerable.Range(0, 20).Select(_ => feed.GetNextItem(info))];

        Assert.NotEqual(Data.GenerateRandomBytes(100), Data.GenerateRandomBytes(100));
        Assert.Equal(Data.GenerateRandomBytes(100, seed: 7), Data.GenerateRandomBytes(100, seed: 7));
        Assert.NotEqual(
            Draw(DataFeed.Random(Enumerable.Range(0, 1_000))), Draw(DataFeed.Random(Enumerable.Range(0, 1_000))));
        Assert.Equal(
            Draw(DataFeed.Random(Enumerable.Range(0, 1_000), 7)), Draw(DataFeed.Random(Enumerable.Range(0, 1_000), 7)));
    }

    private static NodeStats Run(bool fails, string threshold)
    {
        var scenario = Three(fails ? Response.Fail("500") : Response.Ok("200", sizeBytes: 10));
        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().LoadConfig($$"""
            { "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "three", "ThresholdSettings": [{{threshold}}],
              "LoadSimulationsSettings": [{ "IterationsForConstant": [1, 3] }] }] } }
            """).Run();
    }

    private static ScenarioProps Three(IResponse? response = null) => Scenario
        .Create("three", _ => Task.FromResult(response ?? Response.Ok()))
        .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 3));
}
