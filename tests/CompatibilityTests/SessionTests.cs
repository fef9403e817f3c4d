using System.Diagnostics;
using LoadTesting;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Data;
using LoadTesting.Plugins.Network.Ping;
using LoadTesting.Running;
using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using BuiltIn = LoadTesting.Core.Load;

namespace CompatibilityTests;

public sealed class SessionTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    public static TheoryData<Func<NBomberContext>, string> Refused => new()
    {
        { () => NBomberRunner.RegisterScenarios(One()).WithTargetScenarios("two"),
            "target scenario 'two' is not registered, only 'one'" },
        { () => NBomberRunner.RegisterScenarios(One(), One()), "2 scenarios named 'one'" },
        { () => NBomberRunner.RegisterScenarios(One(), Scenario.Empty("nothing")),
            "'nothing' is empty; give it WithInit or WithClean" },
        { () => NBomberRunner.RegisterScenarios(One().WithWeight(0)), "has the weight 0; it is at least 1" },
        { () => NBomberRunner.RegisterScenarios(One()).WithReportingInterval(TimeSpan.FromMilliseconds(500)),
            "whole number of seconds" },
        { () => NBomberRunner.RegisterScenarios(One()).WithReportFileName("a/b"), "file name 'a/b'" },
        { () => NBomberRunner.RegisterScenarios(One().WithLoadSimulations(Simulation.Pause(s_second))),
            "nothing but pauses" },
        { () => NBomberRunner.RegisterScenarios(), "There is no scenario" },
    };

    [Theory]
    [MemberData(nameof(Refused), DisableDiscoveryEnumeration = true)]
    public void Session_that_cannot_be_run_is_refused_with_its_reason(Func<NBomberContext> context, string reason) =>
        Assert.Contains(reason, Assert.Throws<ArgumentException>(() => context().WithoutReports().Run()).Message);

    [Theory]
    [InlineData("--cluster-id x", "--cluster-id is not known")]
    [InlineData("--config", "--config has 0 values")]
    [InlineData("--target", "--target names no scenario")]
    [InlineData("--config missing.json", "missing.json")]
    public void Argument_that_is_not_understood_is_refused(string args, string reason) =>
        Assert.Contains(
            reason,
            Assert.Throws<ArgumentException>(
                () => NBomberRunner.RegisterScenarios(One()).Run(args.Split(' '))).Message);

    [Theory]
    [InlineData(
        """{ "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "one", "LoadSimulationsSettings": [{ "Keep": [1] }] }] } }""", "a load 'Keep' with 1 values")]
    [InlineData(
        """{ "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "one", "ThresholdSettings": [{ "OkLatency": "p98 < 1" }] }] } }""", "is on 'p98'; known are min")]
    [InlineData(
        """{ "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "one", "ThresholdSettings": [{ "OkLatency": "fast" }] }] } }""", "is not a comparison")]
    [InlineData("""{ "GlobalSettings": { "ScenariosSettings": [{ }] } }""", "has no ScenarioName")]
    public void Configuration_that_is_not_understood_is_refused(string json, string reason) =>
        Assert.Contains(reason,
            Assert.Throws<ArgumentException>(() => NBomberRunner.RegisterScenarios(One()).LoadConfig(json)).Message);

    [Fact]
    public void Think_time_is_not_part_of_an_iteration()
    {
        var scenario = Scenario.Create("thinking", context =>
            {
                ((BuiltIn.IScenarioContext)context).RestUntil(Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 2));
                return Task.FromResult<IResponse>(Response.Ok());
            })
            .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 4));

        var stats = NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run().ScenarioStats.Single();

        Assert.Equal((4, 0), (stats.Ok.Request.Count, stats.Fail.Request.Count));
        Assert.InRange(stats.Duration, TimeSpan.FromSeconds(1.4), TimeSpan.FromMinutes(1));
        Assert.InRange(stats.Ok.Latency.Percent50, 0, 400);
    }

    [Fact]
    public void Every_load_of_a_configuration_is_understood()
    {
        var settings = SettingsReader.Read("""
            { "GlobalSettings": { "ScenariosSettings": [{ "ScenarioName": "one", "Weight": 3, "LoadSimulationsSettings": [
              { "RampingConstant": [10, "00:00:05"] }, { "KeepConstant": [10, "00:00:05"] }, { "KeepConstant": [0, "00:00:05"] },
              { "RampingInject": [20, "00:00:01", "00:00:05"] }, { "Inject": [20, "00:00:01", "00:00:05"] },
              { "InjectRandom": [1, 2, "00:00:01", "00:00:05"] }, { "IterationsForConstant": [2, 8] },
              { "IterationsForInject": [2, "00:00:01", 8] }, { "Pause": "00:00:03" }, { "Pause": ["00:00:04"] } ] }] } }
            """).Scenarios.Single();

        Assert.Equal(3, settings.Weight);
        Assert.Equal(
            [
                "ramping constant from 0 to 10 for 00:00:05", "keep constant 10 for 00:00:05", "pause for 00:00:05",
                "ramping inject from 0 to 20 per 00:00:01 for 00:00:05", "inject 20 per 00:00:01 for 00:00:05, even",
                "inject 1 to 2 per 00:00:01 for 00:00:05, a new rate for each interval with seed 1",
                "8 iterations, 2 at a time",
                "inject 8 iterations, 2 per 00:00:01, even", "pause for 00:00:03", "pause for 00:00:04",
            ],
            settings.LoadSimulations.Select(simulation => simulation.ToString()));
    }

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1, 1000, 1)]
    [InlineData(999, 1000, 99)]
    [InlineData(1000, 1000, 100)]
    [InlineData(996, 1000, 99)]
    [InlineData(505, 1000, 51)]
    public void Percent_is_0_and_100_only_where_it_means_none_and_all(long part, long all, int percent) =>
        Assert.Equal(percent, StatsMapping.Percent(part, all));

    [Fact]
    public void Load_is_scaled_to_the_share_of_its_weight()
    {
        BuiltIn.LoadSimulation[] loads =
        [
            BuiltIn.Simulation.Inject(10, s_second, 3 * s_second),
            BuiltIn.Simulation.RampingInject(10, s_second, 3 * s_second),
            BuiltIn.Simulation.InjectRandom(1, 10, s_second, 3 * s_second),
            BuiltIn.Simulation.IterationsForInject(10, s_second, 100),
            BuiltIn.Simulation.KeepConstant(10, s_second), BuiltIn.Simulation.RampingConstant(1, s_second),
            BuiltIn.Simulation.IterationsForConstant(10, 100), BuiltIn.Simulation.Pause(s_second),
        ];

        Assert.Equal(
            [
                "inject 12 per 00:00:03 for 00:00:03, even", "ramping inject from 0 to 12 per 00:00:03 for 00:00:03",
                "inject 0 to 4 per 00:00:01 for 00:00:03, a new rate for each interval with seed 1",
                "inject 40 iterations, 20 per 00:00:05, even", "keep constant 4 for 00:00:01",
                "ramping constant from 0 to 0 for 00:00:01",
                "40 iterations, 4 at a time", "pause for 00:00:01",
            ],
            loads.Select(load => ScaledLoad.Of(load, 2, 5).ToString()));
        Assert.Equal("pause for 00:00:03", ScaledLoad.Of(loads[0], 1, 1000).ToString());
        Assert.Equal("keep constant 1 for 00:00:01", ScaledLoad.Of(loads[4], 1, 1000).ToString());
    }

    [Fact]
    public void Ramp_that_starts_nothing_is_a_pause()
    {
        BuiltIn.LoadSimulation[] loads =
        [
            BuiltIn.Simulation.RampingInject(0, s_second, s_second), BuiltIn.Simulation.Inject(1, s_second, s_second),
            BuiltIn.Simulation.RampingInject(0, s_second, s_second),
            BuiltIn.Simulation.RampingInject(0, s_second, s_second),
            BuiltIn.Simulation.RampingConstant(0, s_second), BuiltIn.Simulation.KeepConstant(1, s_second),
            BuiltIn.Simulation.RampingConstant(0, s_second),
        ];

        var pauses = ScaledLoad.WithoutEmptyRamps(loads).Select(load => load is BuiltIn.Simulations.PauseSimulation);

        Assert.Equal([true, false, false, true, true, false, false], pauses);
    }

    [Theory]
    [InlineData(5, 1.3)]
    [InlineData(10, 1.0)]
    [InlineData(100, 0.5)]
    public void Zipf_gives_each_number_its_probability(int n, double s)
    {
        const int Draws = 100_000;
        var random = new Random(1);
        var all = Enumerable.Range(1, n).Sum(k => Math.Pow(k, -s));

        var counts = Enumerable.Range(0, Draws).Select(_ => random.Zipf(n, s)).CountBy(k => k).ToDictionary();

        Assert.All(Enumerable.Range(1, n), k =>
        {
            var expected = Draws * Math.Pow(k, -s) / all;
            Assert.InRange(counts[k], expected - (5 * Math.Sqrt(expected)), expected + (5 * Math.Sqrt(expected)));
        });
    }

    [Fact]
    public void Choice_gives_each_item_its_weight_and_refuses_what_has_none()
    {
        var random = new Random(1);

        var counts = Enumerable.Range(0, 10_000).Select(_ => random.Choice([("a", 1), ("b", 0), ("c", 9)]))
            .CountBy(item => item).ToDictionary();

        Assert.InRange(counts["a"], 850, 1150);
        Assert.Equal(["a", "c"], counts.Keys.Order());
        Assert.Throws<ArgumentException>(() => random.Choice([("a", 0)]));
        Assert.Throws<ArgumentOutOfRangeException>(() => random.Choice([("a", -1)]));
    }

    [Fact]
    [JudgesRealTime]
    public Task Warm_up_that_outlasts_the_load_is_cut() => RealTime.HoldsAsync(() =>
    {
        var warmed = 0;
        var scenario = Scenario.Create("short", async context =>
        {
            warmed += context.ScenarioInfo.ScenarioOperation == ScenarioOperation.WarmUp ? 1 : 0;
            await Task.Delay(100);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.KeepConstant(1, s_second));

        var result = NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();

        Assert.InRange(warmed, 1, 12);
        Assert.InRange(result.AllOkCount, 1, 12);
    });

    [Fact]
    public void Sink_that_fails_is_reported_and_spoils_nothing()
    {
        var folder = Path.Combine(Path.GetTempPath(), $"failing-sink-{Guid.NewGuid():N}");

        var result =
            NBomberRunner.RegisterScenarios(One()).WithReportingSinks(new FailingSink()).WithReportFolder(folder).Run();

        Assert.Equal(3, result.AllOkCount);
        Assert.Contains("FailingSink failed in SaveFinalStats",
            File.ReadAllText(Directory.GetFiles(folder, "nbomber-log-*").Single()));
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void Preparation_that_fails_ends_the_session_with_its_reason()
    {
        var scenario = One().WithInit(_ => throw new InvalidOperationException("no database"));

        var exception = Assert.Throws<InvalidOperationException>(
            () => NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run());

        Assert.Contains("Scenario 'one' failed in WithInit: no database", exception.Message);
    }

    [Fact]
    public void Infrastructure_configuration_with_unknown_sink_is_refused()
    {
        var infra = SettingsReader.ReadInfra("""{ "Serilog": { "MinimumLevel": "Error" } }""");
        var other = SettingsReader.ReadInfra("""{ "Serilog": { "WriteTo": [{ "Name": "Elasticsearch" }] } }""");
        using var logger = SessionLog.Create(new NBomberContext { InfraConfig = infra }, TestInfo.Empty, null);
        var create = () => SessionLog.Create(new NBomberContext { InfraConfig = other }, TestInfo.Empty, null);

        Assert.False(logger.IsEnabled(Serilog.Events.LogEventLevel.Warning));
        Assert.True(logger.IsEnabled(Serilog.Events.LogEventLevel.Error));
        Assert.Contains("writes the log to 'Elasticsearch'", Assert.Throws<NotSupportedException>(create).Message);
    }

    [Fact]
    public void Reports_quote_what_a_table_would_break_at()
    {
        var scenario =
            Scenario.Create("a,\"b\"|<c>", _ => Task.FromResult<IResponse>(Response.Ok("<code>|", message: "x|y")))
            .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 1));
        var folder = Path.Combine(Path.GetTempPath(), $"quoting-{Guid.NewGuid():N}");

        var result = NBomberRunner.RegisterScenarios(scenario).WithReportFolder(folder).Run();

        var files = result.ReportFiles.ToDictionary(file => file.ReportFormat);

        Assert.Contains(",\"a,\"\"b\"\"|<c>\",", files[ReportFormat.Csv].ReportContent);
        Assert.Contains("&lt;code&gt;|", files[ReportFormat.Html].ReportContent);
        Assert.DoesNotContain("<code>", files[ReportFormat.Html].ReportContent);
        Assert.Contains("| &lt;code>\\| |", files[ReportFormat.Md].ReportContent);
        Assert.StartsWith("nbomber_report_", Path.GetFileName(files[ReportFormat.Txt].FilePath));
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task Data_and_configurations_are_read_from_a_url_as_from_a_file()
    {
        await using var target = await HttpTarget.StartAsync();

        var users = Data.LoadCsv<Examples.User>($"{target.Address}/files/users.csv");
        var others = Data.LoadJson<Examples.User[]>($"{target.Address}/files/users.json");
        var context = NBomberRunner.RegisterScenarios(One()).LoadConfig($"{target.Address}/files/config.json");

        Assert.Equal([(0, "Ada"), (1, "Grace"), (2, "Hopper, Edsger")], users.Select(user => (user.Id, user.Name)));
        Assert.Equal([10, 11, 12, 13], others.Select(user => user.Id));
        Assert.Equal("suite of the file", context.NBomberConfig.TestSuite);
        Assert.Contains(
            "404", Assert.Throws<ArgumentException>(() => context.LoadConfig($"{target.Address}/none")).Message);
    }

    [Fact]
    public void Logger_of_the_caller_gets_what_scenarios_log()
    {
        var events = new List<LogEvent>();
        var scenario = Scenario.Create("logging", context =>
        {
            context.Logger.Debug("debug {0}", context.InvocationNumber);
            context.Logger.Warning("warning {0}", context.InvocationNumber);
            return Task.FromResult<IResponse>(Response.Ok());
        }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 2));

        NBomberRunner.RegisterScenarios(scenario).WithSessionId("mine").WithoutReports()
            .WithLoggerConfig(
                () => new LoggerConfiguration().MinimumLevel.Warning().WriteTo.Sink(new CollectingSink(events))).Run();

        Assert.Equal(["warning 1", "warning 2"], events.Select(one => one.RenderMessage()));
        Assert.All(events, one => Assert.Equal("\"mine\"", one.Properties["SessionId"].ToString()));
    }

    [Fact]
    [JudgesRealTime]
    public Task Forced_stop_leaves_running_iterations_unfinished() => RealTime.HoldsAsync(() =>
    {
        var scenario = Scenario.Create("hanging", async _ =>
        {
            await Task.Delay(Timeout.Infinite, CancellationToken.None);
            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(Simulation.KeepConstant(1, TimeSpan.FromMilliseconds(200)));

        var result = NBomberRunner.RegisterScenarios(scenario).EnableStopTestForcibly(true).WithoutReports().Run();

        Assert.Equal((0, 1), (result.AllRequestCount, (int)result.Measured.Scenarios.Single().Unfinished));
        Assert.InRange(result.Duration, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));
    });

    [Theory]
    [JudgesRealTime]
    [InlineData(false)]
    [InlineData(true)]
    public Task Iteration_that_never_ends_has_failed(bool hasSteps) => RealTime.HoldsAsync(() =>
    {
        var scenario = Scenario.Create("half_hangs", async context =>
        {
            if (hasSteps)
            {
                await Step.Run("begin", context, () => Task.FromResult(Response.Ok(statusCode: "200")));
            }

            await Task.Delay(
                context.ScenarioInfo.InstanceNumber % 2 == 0 ? Timeout.Infinite : 1, CancellationToken.None);
            return Response.Ok(statusCode: "200");
        }).WithoutWarmUp().WithLoadSimulations(Simulation.KeepConstant(2, TimeSpan.FromMilliseconds(200)));

        var threshold = Threshold.Create(stats => stats.Fail.Request.Count == 0);
        var result = NBomberRunner.RegisterScenarios(scenario.WithThresholds(threshold))
            .WithScenarioCompletionTimeout(s_second).WithoutReports().Run();

        var stats = result.ScenarioStats.Single();
        Assert.Equal((1, 1), (stats.Fail.Request.Count, stats.Fail.StatusCodes.Get("-100").Count));
        Assert.InRange(stats.Ok.Request.Percent, 1, 99);
        Assert.InRange(stats.Fail.Request.Percent, 1, 50);
        Assert.InRange(stats.Ok.StatusCodes.Get("200").Percent, 50, 99);
        Assert.Equal((stats.AllFailCount, 1), (result.AllFailCount, result.AllFailCount));
        Assert.True(result.Thresholds.Single().IsFailed);
    });

    [Fact]
    public void Finalizer_changes_the_reports_and_not_the_result()
    {
        var folder = Path.Combine(Path.GetTempPath(), $"finalizer-{Guid.NewGuid():N}");

        var result = NBomberRunner.RegisterScenarios(
            One(), Scenario.Create("two", _ => Task.FromResult<IResponse>(Response.Ok()))
                .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 1)))
            .WithReportFormats(ReportFormat.Md).WithReportFolder(folder)
            .WithReportFinalizer(data => ReportData.Create([data.GetScenarioStats("two")])).Run();

        Assert.Equal(2, result.ScenarioStats.Length);
        Assert.Contains("scenario two", result.ReportFiles.Single().ReportContent);
        Assert.DoesNotContain("scenario one", result.ReportFiles.Single().ReportContent);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void Plugin_takes_its_hosts_from_the_infrastructure_configuration()
    {
        var result = NBomberRunner.RegisterScenarios(One()).LoadInfraConfig("Examples/infra-config.json")
            .WithWorkerPlugins(new PingPlugin(PingPluginConfig.CreateDefault("unknown.invalid"))).WithoutReports()
            .Run();

        Assert.Equal("127.0.0.1", result.PluginStats.Single().Tables[0].Rows[0]["Host"]);
    }

    [Fact]
    public void Sizes_and_times_are_converted() =>
        Assert.Equal(
            (2048, 3145728, 1.5, 2, TimeSpan.FromMinutes(1)),
            (Bytes.FromKb(2), Bytes.FromMb(3), Converter.FromBytesToKb(1536), Converter.FromBytesToMb(2 << 20),
                Time.Minutes(1)));

    private static ScenarioProps One() => Scenario.Create("one", _ => Task.FromResult<IResponse>(Response.Ok()))
        .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 3));

    private sealed class CollectingSink(List<LogEvent> events) : ILogEventSink
    {
        public void Emit(LogEvent logEvent) => events.Add(logEvent);
    }

    private sealed class FailingSink : IReportingSink
    {
        public string SinkName => nameof(FailingSink);

        public Task Init(IBaseContext context, IConfiguration infraConfig) => Task.CompletedTask;

        public Task SaveRealtimeStats(ScenarioStats[] stats) => throw new InvalidOperationException("no connection");

        public Task SaveFinalStats(NodeStats stats) => throw new InvalidOperationException("no connection");

        public Task Stop() => Task.CompletedTask;

        public void Dispose()
        {
        }
    }
}
