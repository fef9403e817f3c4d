using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Running;

namespace CompatibilityTests;

/// <summary>Keys and values of the JSON configuration: read as they are meant, or refused with the way out.</summary>
public sealed class ConfigurationTests
{
    [Theory]
    [InlineData("\"00:00:30\"", 30), InlineData("\"24:00:00\"", 86_400), InlineData("\"36:00:00\"", 129_600)]
    [InlineData("\"1.12:00:00\"", 129_600), InlineData("\"90s\"", 90), InlineData("\"10m\"", 600)]
    public void Time_of_a_load_is_read_as_hours_minutes_and_seconds(string time, int seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), Load($"{{ \"KeepConstant\": [1, {time}] }}").Value.PlannedDuration);

    [Theory]
    [InlineData("{ \"KeepConstant\": [1, 30] }", "0:LoadSimulationsSettings:0:KeepConstant:1 is '30'")]
    [InlineData("{ \"KeepConstant\": [1, \"30\"] }", "KeepConstant:1 is '30'")]
    [InlineData("{ \"Inject\": [1, 1, \"00:00:05\"] }", "Inject:1 is '1'")]
    [InlineData("{ \"Pause\": 5 }", "Pause is '5'")]
    public void Time_without_a_unit_is_refused_with_the_forms(string load, string place) =>
        AssertRefused(InScenario($"\"LoadSimulationsSettings\": [{load}]"), place, "10m or 1h", "00:00:30 or 36:00:00");

    [Theory]
    [InlineData("{ \"ScenarioCompletionTimeout\": 30 }", "ScenarioCompletionTimeout is '30'")]
    [InlineData("{ \"GlobalSettings\": { \"ReportingInterval\": 5 } }", "GlobalSettings:ReportingInterval is '5'")]
    [InlineData(
        "{ \"GlobalSettings\": { \"ScenariosSettings\": [{ \"ScenarioName\": \"s\", \"WarmUpDuration\": \"24\" }] } }",
        "WarmUpDuration is '24'")]
    [InlineData(
        "{ \"GlobalSettings\": { \"ScenariosSettings\": [{ \"ScenarioName\": \"s\", \"ThresholdSettings\": "
            + "[{ \"OkRequest\": \"RPS > 1\", \"StartCheckAfter\": 2 }] }] } }", "StartCheckAfter is '2'")]
    public void Every_time_of_the_file_has_the_same_forms(string json, string place) =>
        AssertRefused(json, place, "36:00:00");

    [Theory]
    [InlineData(
        "{ \"testsuite\": \"a\", \"GLOBALSETTINGS\": { \"scenariossettings\": [{ \"SCENARIONAME\": \"s\", "
            + "\"maxfailcount\": 7, \"loadsimulationssettings\": [{ \"keepconstant\": [2, \"00:00:05\"] }], "
            + "\"thresholdsettings\": [{ \"failrequest\": \"percent < 5\", \"aborTwhenerrorcount\": 3 }] }], "
            + "\"reportformats\": [\"txt\"] }, \"targetscenarios\": [\"s\"] }")]
    [InlineData(
        "{ \"TestSuite\": \"a\", \"GlobalSettings\": { \"ScenariosSettings\": [{ \"ScenarioName\": \"s\", "
            + "\"MaxFailCount\": 7, \"LoadSimulationsSettings\": [{ \"KeepConstant\": [2, \"00:00:05\"] }], "
            + "\"ThresholdSettings\": [{ \"FailRequest\": \"Percent < 5\", \"AbortWhenErrorCount\": 3 }] }], "
            + "\"ReportFormats\": [\"Txt\"] }, \"TargetScenarios\": [\"s\"] }")]
    public void Keys_compare_alike_whatever_their_case(string json)
    {
        var settings = SettingsReader.Read(json);

        var scenario = settings.Scenarios.Single();
        Assert.Equal(("a", "s", "s"), (settings.TestSuite, scenario.ScenarioName, settings.TargetScenarios.Single()));
        Assert.Equal([ReportFormat.Txt], settings.ReportFormats);
        Assert.Equal(
            (7, "keep constant 2 for 00:00:05"), (scenario.MaxFailCount, scenario.LoadSimulations.Single().ToString()));
        Assert.Equal(3, scenario.Thresholds.Single().AbortWhenErrorCount);
        Assert.StartsWith("FailRequest: ", scenario.Thresholds.Single().CheckExpression);
    }

    [Theory]
    [InlineData("{ \"TestSuit\": \"a\" }", "'TestSuit' is not known; the nearest is 'TestSuite'")]
    [InlineData("{ \"GlobalSetings\": { } }", "'GlobalSetings' is not known; the nearest is 'GlobalSettings'")]
    [InlineData("{ \"ScenariosSettings\": [] }", "'ScenariosSettings' is not known")]
    [InlineData("{ \"GlobalSettings\": { \"ReportFormat\": [\"Txt\"] } }",
        "'GlobalSettings:ReportFormat' is not known; the nearest is 'ReportFormats'")]
    [InlineData("{ \"GlobalSettings\": { \"ScenarioSettings\": [] } }", "the nearest is 'ScenariosSettings'")]
    public void Unknown_key_is_refused_with_the_nearest_name(string json, string message) =>
        AssertRefused(json, message, "known are ");

    [Theory]
    [InlineData("\"Thresholds\": []", "0:Thresholds' is not known; the nearest is 'ThresholdSettings'")]
    [InlineData("\"LoadSimulationSettings\": []", "the nearest is 'LoadSimulationsSettings'")]
    [InlineData("\"WarmupDuraton\": \"00:00:05\"", "the nearest is 'WarmUpDuration'")]
    [InlineData("\"ThresholdSettings\": [{ \"OkRequest\": \"RPS > 1\", \"AbortOnErrorCount\": 1 }]",
        "the nearest is 'AbortWhenErrorCount'")]
    [InlineData("\"ThresholdSettings\": [{ \"OkLatncy\": \"p99 < 1\" }]", "the nearest is 'OkLatency'")]
    [InlineData(
        "\"LoadSimulationsSettings\": [{ \"KeepConstat\": [1, \"00:00:05\"] }]", "the nearest is 'KeepConstant'")]
    public void Unknown_key_of_a_scenario_is_refused_with_the_nearest_name(string member, string message) =>
        AssertRefused(InScenario(member), message);

    [Fact]
    public void All_unknown_keys_are_named_at_once() =>
        AssertRefused(
            "{ \"A\": 1, \"GlobalSettings\": { \"B\": 2 } }", "'A' is not known", "'GlobalSettings:B' is not known");

    [Fact]
    public void Custom_settings_have_keys_of_their_own()
    {
        var settings = SettingsReader.Read(InScenario("\"CustomSettings\": { \"Mine\": { \"Deep\": 1 } }")
            .Replace("\"GlobalSettings\": {", "\"GlobalSettings\": { \"GlobalCustomSettings\": { \"Ours\": 2 },",
                StringComparison.Ordinal));

        Assert.Equal(
            ("1", "2"), (settings.Scenarios[0].CustomSettings["mine:deep"], settings.GlobalCustomSettings["Ours"]));
        Assert.Equal("x", SettingsReader.ReadInfra("{ \"MySink\": { \"Url\": \"x\" } }")["mysink:url"]);
    }

    [Fact]
    public void Misspelt_key_of_the_log_is_refused_with_the_nearest_name() => Assert.Contains(
        "'Serilog:MinimumLevl' is not known; the nearest is 'MinimumLevel'",
        Assert.Throws<ArgumentException>(
            () => SettingsReader.ReadInfra("{ \"serilog\": { \"MinimumLevl\": \"Error\" } }")).Message,
        StringComparison.OrdinalIgnoreCase);

    [Theory]
    [InlineData("{ \"TargetScenarios\": \"s\" }", "'TargetScenarios' is 's'; it is a list")]
    [InlineData("{ \"GlobalSettings\": \"none\" }", "'GlobalSettings' is 'none'; it is an object")]
    [InlineData("{ \"TestName\": [\"a\"] }", "'TestName' is a list or an object; it is one value")]
    [InlineData("{ \"GlobalSettings\": { \"EnableHintsAnalyzer\": \"yes\" } }",
        "GlobalSettings:EnableHintsAnalyzer is 'yes'. It is true or false.")]
    [InlineData("{ \"GlobalSettings\": { \"ReportFormats\": [\"7\"] } }", "'7' is not a report format")]
    public void Value_of_another_kind_is_refused(string json, string message) => AssertRefused(json, message);

    [Theory]
    [InlineData("\"MaxFailCount\": \"many\"", "MaxFailCount is 'many'. It is a whole number")]
    [InlineData("\"LoadSimulationsSettings\": [{ \"KeepConstant\": [\"x\", \"00:00:05\"] }]",
        "KeepConstant:0 is 'x'. It is a whole number")]
    [InlineData("\"LoadSimulationsSettings\": [{ \"Inject\": [1, \"5s\", \"1s\"] }]",
        "The interval 00:00:05 is longer than the duration 00:00:01; lower the interval.")]
    [InlineData("\"LoadSimulationsSettings\": [{ \"Inject\": [1, \"1s\", \"5s\"], \"Pause\": \"5s\" }]",
        "names 2 loads (Inject, Pause); it names one")]
    [InlineData("\"LoadSimulationsSettings\": [{ \"Pause\": \"5s\" }]",
        "Scenario 's' was given nothing but pauses (pause for 00:00:05)")]
    [InlineData("\"LoadSimulationsSettings\": [{ \"KeepConstant\": [0, \"5s\"] }]", "nothing but pauses")]
    [InlineData("\"LoadSimulationsSettings\": []", "was given no load simulation")]
    public void Value_of_a_scenario_is_refused_in_words_of_the_file(string member, string message)
    {
        AssertRefused(InScenario(member), message);
        Assert.DoesNotContain("Parameter", Refusal(InScenario(member)));
    }

    [Fact]
    public void Load_of_pauses_alone_is_refused_where_it_is_made()
    {
        var scenario = Scenario.Create("idle", _ => Task.FromResult<IResponse>(Response.Ok()));
        LoadSimulation[] pauses =
            [Simulation.Pause(TimeSpan.FromSeconds(1)), Simulation.RampingConstant(0, TimeSpan.FromSeconds(1))];

        var refused = Assert.Throws<ArgumentException>(() => scenario.WithLoadSimulations(pauses));

        Assert.Contains(
            "Scenario 'idle' was given nothing but pauses (pause for 00:00:01; pause for 00:00:01)", refused.Message);
        Assert.Contains(
            "no load simulation", Assert.Throws<ArgumentException>(() => scenario.WithLoadSimulations()).Message);
    }

    [Fact]
    public void Unreadable_file_is_named_with_the_remedy()
    {
        var folder = Directory.CreateTempSubdirectory("configuration-").FullName;
        var broken = Path.Combine(folder, "broken.json");
        File.WriteAllText(broken, "{ \"TestSuite\": tru }");

        AssertRefused(folder, $"{folder}: is a directory. Name a file.");
        AssertRefused(Path.Combine(folder, "missing.json"), "missing.json: there is no such file or directory. Name another.");
        AssertRefused(broken, "line 1, byte ");
        var trailing = Path.Combine(folder, "users.json");
        File.WriteAllText(trailing, "[1, ]");
        var refused =
            Assert.ThrowsAny<System.Text.Json.JsonException>(() => LoadTesting.Data.Data.LoadJson<int[]>(trailing));
        Assert.Contains($"{trailing}: ", refused.Message);
        Assert.DoesNotContain("reader options", refused.Message);
        Directory.Delete(folder, recursive: true);
    }

    [Theory]
    [InlineData("--traget one", "--traget is not known; the nearest is --target")]
    [InlineData("--display-console-metrics maybe", "--display-console-metrics is 'maybe'. It is true or false.")]
    public void Argument_that_is_misspelt_is_refused_with_the_nearest(string arguments, string message) =>
        Assert.Contains(
        message,
        Assert.Throws<ArgumentException>(
            () => CommandLineArguments.Apply(new NBomberContext(), arguments.Split(' '))).Message);

    private static LoadSimulation Load(string load) =>
        SettingsReader.Read(InScenario($"\"LoadSimulationsSettings\": [{load}]")).Scenarios.Single().LoadSimulations
            .Single();

    private static string InScenario(string member) =>
        $"{{ \"GlobalSettings\": {{ \"ScenariosSettings\": [{{ \"ScenarioName\": \"s\", {member} }}] }} }}";

    private static string Refusal(string json) =>
        Assert.Throws<ArgumentException>(() => SettingsReader.Read(json)).Message;

    private static void AssertRefused(string json, params string[] parts) =>
        Assert.All(parts, part => Assert.Contains(part, Refusal(json)));
}
