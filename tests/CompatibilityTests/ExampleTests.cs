using System.Data;
using CompatibilityTests.Examples;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;

namespace CompatibilityTests;

/// <summary>Runs scenario files written for NBomber and checks the figures that their authors assert on.</summary>
public sealed class ExampleTests
{
    [Fact]
    public void Hello_world_runs_what_it_asks_for()
    {
        var result = new HelloWorldExample().Run();

        var stats = result.ScenarioStats.Get("hello_world");
        Assert.Equal((25, 0, 25), (result.AllOkCount, result.AllFailCount, result.AllRequestCount));
        Assert.Equal((25, 100, 0), (stats.Ok.Request.Count, stats.Ok.Request.Percent, stats.Fail.Request.Percent));
        Assert.Equal((25, 100), (stats.Ok.StatusCodes.Get("200").Count, stats.Ok.StatusCodes.Get("200").Percent));
        Assert.Equal((2500, 100, 100),
            (stats.Ok.DataTransfer.AllBytes, stats.Ok.DataTransfer.MinBytes, stats.Ok.DataTransfer.Percent99));
        Assert.InRange(stats.Ok.Latency.MinMs, 5, stats.Ok.Latency.Percent50);
        Assert.InRange(stats.Ok.Latency.Percent99, stats.Ok.Latency.Percent50, stats.Ok.Latency.MaxMs);
        Assert.Equal(25, stats.Ok.Latency.LatencyCount.LessOrEq800 + stats.Ok.Latency.LatencyCount.More800Less1200
            + stats.Ok.Latency.LatencyCount.MoreOrEq1200);
        Assert.Equal(0, stats.Fail.Latency.MinMs);
        Assert.InRange(stats.Ok.Request.RPS, 1, 100);
        Assert.Equal(("examples", "hello world"), (result.TestInfo.TestSuite, result.TestInfo.TestName));
        Assert.Equal(OperationType.Complete, result.NodeInfo.CurrentOperation);
        Assert.Equal("iterations_for_inject", stats.LoadSimulationStats.SimulationName);
        Assert.Empty(result.ReportFiles);
        Assert.False(result.ScenarioStats.Exists("other"));
        Assert.Null(result.ScenarioStats.Find("other"));
        Assert.Contains(
            "hello_world", Assert.Throws<KeyNotFoundException>(() => result.ScenarioStats.Get("other")).Message);
    }

    [Fact]
    public void Steps_share_data_and_their_bytes_are_the_iterations_too()
    {
        var result = new StepsShareDataExample().Run();

        var stats = result.ScenarioStats.Get("checkout");
        Assert.Equal((20, 0), (stats.Ok.Request.Count, stats.Fail.Request.Count));
        Assert.Equal(["create_basket", "add_book", "pay"], stats.StepStats.Select(step => step.StepName));
        Assert.All(stats.StepStats, step => Assert.Equal(20, step.Ok.Request.Count));
        Assert.Equal((80, 80), (stats.AllRequestCount, stats.AllOkCount));
        Assert.Equal(
            (20 * 100, 100, 100), (stats.AllBytes, stats.Ok.DataTransfer.MinBytes, stats.Ok.DataTransfer.MaxBytes));
        Assert.Equal((50, 50), (stats.Ok.StatusCodes.Get("200").Percent, stats.Ok.StatusCodes.Get("201").Percent));
    }

    [Fact]
    [JudgesRealTime]
    public Task Client_pool_gives_each_copy_its_client() => RealTime.HoldsAsync(() =>
    {
        var example = new ClientPoolExample();

        var result = example.Run();

        Assert.Equal(0, result.AllFailCount);
        Assert.Equal(60, example.Connections.Sum(connection => connection.Calls));
        Assert.All(example.Connections, connection => Assert.True(connection is { Calls: > 0, IsClosed: true }));
    });

    [Fact]
    public void Data_feeds_give_their_items_from_csv_json_and_memory()
    {
        var example = new DataFeedExample();

        var result = example.Run();

        Assert.Equal(40, result.AllOkCount);
        Assert.All(example.Constant, item => Assert.Equal(item.Copy % 3, item.User));
        Assert.Equal([(10, 10), (11, 10), (12, 10), (13, 10)],
            example.Circular.CountBy(id => id).Select(id => (id.Key, id.Value)).Order());
        Assert.All(example.Random, number => Assert.InRange(number, 100, 109));
        Assert.True(example.Random.Distinct().Count() > 3);
    }

    [Fact]
    public async Task Http_requests_are_sent_read_and_counted()
    {
        await using var target = await HttpTarget.StartAsync();

        var result = new HttpExample(target.Address).Run();

        var stats = result.ScenarioStats.Get("http_scenario");
        Assert.Equal((20, 0), (stats.Ok.Request.Count, result.AllFailCount));
        Assert.Equal(20, stats.StepStats.Get("create_user").Ok.StatusCodes.Get("Created").Count);
        Assert.Equal(20, stats.StepStats.Get("create_user").Ok.StatusCodes.Get("201").Count);
        Assert.Equal(20, stats.StepStats.Get("get_user").Ok.StatusCodes.Get("OK").Count);
        Assert.Equal(20, target.Updated.Count(body => body == """{"id":7,"name":"user 7"}"""));
        Assert.InRange(stats.StepStats.Get("get_user").Ok.DataTransfer.MinBytes, 24, 2000);
        var ping = result.PluginStats.SelectMany(set => set.Tables.Cast<DataTable>())
            .Single(table => table.TableName.Contains("PingPlugin"));
        Assert.Equal("127.0.0.1", ping.Rows[0]["Host"]);
    }

    [Fact]
    public async Task Refused_http_requests_fail_with_their_status()
    {
        await using var target = await HttpTarget.StartAsync();

        var stats = new HttpExample(target.Address).RunWithPool().ScenarioStats.Get("http_with_pool");

        Assert.Equal((30, 10, 25), (stats.Ok.Request.Count, stats.Fail.Request.Count, stats.Fail.Request.Percent));
        Assert.Equal((10, 25), (stats.Fail.StatusCodes.Get("404").Count, stats.Fail.StatusCodes.Get("404").Percent));
        Assert.Null(stats.Fail.StatusCodes.Find("503"));
    }

    [Fact]
    public async Task Web_sockets_send_and_receive_whole_messages()
    {
        await using var target = await HttpTarget.StartAsync();

        var result =
            new WebSocketsExample($"{target.Address.Replace("http", "ws", StringComparison.Ordinal)}/echo").Run();

        var stats = result.ScenarioStats.Get("web_sockets");
        Assert.Equal((30, 0), (stats.Ok.Request.Count, result.AllFailCount));
        Assert.Equal((30 * 200_000, 100_000), (stats.AllBytes, stats.StepStats.Get("pong").Ok.DataTransfer.MinBytes));
    }

    [Fact]
    public void Load_pauses_rises_holds_varies_and_falls()
    {
        var result = new LoadShapesExample().RunDelayed();

        var measured = result.Measured.Scenario("load_shapes");
        Assert.InRange(measured.Requested, 20 + 40 + 10 + 5, 20 + 40 + 20 + 10);
        Assert.Equal((measured.Requested, 0, 0), (measured.Started, measured.Dropped, measured.Unfinished));
        Assert.Equal(measured.Started, result.AllOkCount);
        Assert.InRange(result.Duration, TimeSpan.FromSeconds(2.5), TimeSpan.FromMinutes(1));
    }

    [Fact]
    [JudgesRealTime]
    public Task Only_arrivals_of_a_mixed_scenario_have_a_schedule() => RealTime.HoldsAsync(() =>
    {
        var result = new LoadShapesExample().RunMixed();

        var measured = result.Measured.Scenario("load_shapes");
        Assert.Equal(20, measured.ScheduleLag.Count);
        Assert.InRange(measured.Started, 20 + 3, 20 + 200);
        Assert.Equal(measured.Started, measured.Ok.Count);
        Assert.InRange(result.ScenarioStats[0].Ok.Latency.MinMs, 15, 1000);
        Assert.Equal(
            ("inject", 20),
            (result.ScenarioStats[0].LoadSimulationStats.SimulationName,
                result.ScenarioStats[0].LoadSimulationStats.Value));
    });

    [Fact]
    [JudgesRealTime]
    public Task Scenarios_run_at_the_same_time_and_a_warm_up_counts_nothing() => RealTime.HoldsAsync(() =>
    {
        var example = new ParallelScenariosExample();

        var result = example.Run();

        Assert.Equal(
            (40, 60),
            (result.ScenarioStats.Get("scenario_1").Ok.Request.Count,
                result.ScenarioStats.Get("scenario_2").Ok.Request.Count));
        Assert.Equal(40, result.ScenarioStats.Get("scenario_1").Ok.StatusCodes.Get("200").Count);
        Assert.Equal(60, result.ScenarioStats.Get("scenario_2").Ok.StatusCodes.Get("203").Count);
        Assert.InRange(example.MostAtOnce, 4, 5);
    });

    [Fact]
    public void Scenarios_with_a_weight_share_the_sum_of_their_loads_by_it()
    {
        var result = new ParallelScenariosExample().RunWeighted();

        Assert.Equal((160, 40),
            (result.ScenarioStats.Get("read").Ok.Request.Count, result.ScenarioStats.Get("write").Ok.Request.Count));
    }

    [Fact]
    public void Settings_of_a_file_go_before_those_of_the_code()
    {
        var example = new CustomSettingsExample();

        var result = example.Run();

        Assert.Equal((7, 20, "my_db_connection_string"),
            (example.Custom.MyTestField, example.Custom.MyPauseMs, example.Global.ConnectionString));
        Assert.Equal(("suite of the file", "name of the file"), (result.TestInfo.TestSuite, result.TestInfo.TestName));
        var measured = result.Measured.Scenario("my_scenario");
        Assert.Equal(TimeSpan.FromSeconds(2), measured.PlannedDuration);
        Assert.Equal(20, measured.ScheduleLag.Count);
        Assert.Equal([("OkLatency: max < 1", "step", true)], result.Thresholds.Where(threshold => threshold.IsFailed)
            .Select(threshold => (threshold.CheckExpression, threshold.StepName, threshold.IsFailed)));
        Assert.Equal(6, result.Thresholds.Length);
        Assert.Equal(["my_custom_report_name.html", "my_custom_report_name.txt"],
            result.ReportFiles.Select(file => Path.GetFileName(file.FilePath)));
        Assert.All(result.ReportFiles, file => Assert.Equal(file.ReportContent, File.ReadAllText(file.FilePath)));
        Directory.Delete(Path.GetDirectoryName(result.ReportFiles[0].FilePath)!, recursive: true);
    }

    [Fact]
    public void Command_line_names_configuration_targets_and_session()
    {
        var result = new CustomSettingsExample().RunByArguments();

        Assert.Equal("my_session", result.TestInfo.SessionId);
        Assert.Equal(["my_scenario", "other_scenario"], result.ScenarioStats.Select(scenario => scenario.ScenarioName));
        Assert.Equal(5, result.ScenarioStats.Get("other_scenario").Ok.Request.Count);
    }

    [Fact]
    public void Thresholds_pass_fail_and_do_not_pass_without_a_measurement()
    {
        var result = new ThresholdsExample().Run();

        Assert.Equal([false, true, false, false, true], result.Thresholds.Select(threshold => threshold.IsFailed));
        Assert.Equal("scenarioStats => scenarioStats.Fail.Request.Percent <= 10", result.Thresholds[0].CheckExpression);
        Assert.Contains("never ran", result.Thresholds[4].ExceptionMsg);
        var stats = result.ScenarioStats.Get("thresholds");
        Assert.Equal((90, 10, 10), (stats.Ok.Request.Count, stats.Fail.Request.Count, stats.Fail.Request.Percent));
        Assert.Equal((90, 10), (stats.Ok.StatusCodes.Get("200").Percent, stats.Fail.StatusCodes.Get("404").Percent));
        Assert.Equal(("not there", true),
            (stats.Fail.StatusCodes.Get("404").Message, stats.Fail.StatusCodes.Get("404").IsError));
    }

    [Fact]
    public void Threshold_that_is_missed_too_often_ends_the_test()
    {
        var result = new ThresholdsExample().RunUntilAbort();

        Assert.Contains("missed the threshold scenarioStats => scenarioStats.Fail.Request.Percent < 10 2 times",
            result.Measured.StopReason);
        Assert.InRange(result.Duration, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(45));
        Assert.True(result.Thresholds.Single() is { IsFailed: true, ErrorCount: >= 2 });
    }

    [Fact]
    [JudgesRealTime]
    public Task Sink_gets_each_interval_and_the_end_and_reports_are_written() => RealTime.HoldsAsync(() =>
    {
        var folder = Path.Combine(Path.GetTempPath(), $"reporting-{Guid.NewGuid():N}");
        var example = new ReportingExample(folder);

        var result = example.Run();

        Assert.Equal(["Init on True", "Start reporting", "SaveFinalStats", "Stop", "Dispose"], example.Sink.Calls);
        Assert.Same(result, example.Sink.Final);
        Assert.InRange(example.Sink.Realtime.Count, 2, 5);
        Assert.Equal(80, result.ScenarioStats.Get("reporting").Ok.Request.Count);
        Assert.Equal(80, example.Sink.Realtime.Sum(stats => stats.Get("reporting").Ok.Request.Count));
        Assert.Equal(80,
            example.Sink.Realtime.Sum(stats => stats.Get("reporting").StepStats.Find("login")?.Ok.Request.Count ?? 0));
        Assert.Equal(8000, example.Sink.Realtime.Sum(stats => stats.Get("reporting").AllBytes));
        var ends = example.Sink.Realtime.Select(stats => stats[0].Duration).ToArray();
        Assert.Equal(ends.Order(), ends);
        Assert.True(example.Plugin.WasStarted);
        Assert.Equal(["custom", "metrics"], result.PluginStats.Select(set => set.Tables[0].TableName));
        Assert.Equal("16", result.PluginStats[1].Tables[0].Rows[0]["mean"]);
        Assert.Equal(
            ["my_report.csv", "my_report.html", "my_report.md", "my_report.txt"],
            Directory.GetFiles(folder, "my_report.*").Select(Path.GetFileName).Order(StringComparer.Ordinal));
        var csv = File.ReadAllLines(Path.Combine(folder, "my_report.csv"));
        Assert.Equal(3, csv.Length);
        Assert.StartsWith(
            "test_suite,test_name,scenario,duration,step_name,request_count,ok,failed,rps,min,mean,max,50_percent",
            csv[0]);
        Assert.Contains(",reporting,", csv[1]);
        Assert.Contains(",global information,80,80,0,", csv[1]);
        Assert.Contains(",login,80,80,0,", csv[2]);
        Assert.All(new[] { "txt", "md", "html" }, format =>
        {
            var text = File.ReadAllText(Path.Combine(folder, $"my_report.{format}"));
            Assert.Contains("scenario reporting", text);
            Assert.Contains("Look at the queue.", text);
            Assert.Contains("80 asked for, 80 started, 0 dropped", text);
        });
        var log = Assert.Single(Directory.GetFiles(folder, "nbomber-log-*.txt"));
        Assert.Contains("iteration 1", File.ReadAllText(log));
        Directory.Delete(folder, recursive: true);
    });

    [Fact]
    public void Workload_follows_the_data_that_chooses_it()
    {
        var stats = new DynamicWorkloadExample().Run().ScenarioStats.Get("dynamic_workload");

        int Count(string step) => stats.StepStats.Find(step)?.Ok.Request.Count ?? 0;
        Assert.Equal(400, Count("read") + Count("write") + Count("delete"));
        Assert.InRange(Count("read"), 230, 330);
        Assert.InRange(Count("write"), 40, 130);
        Assert.Equal(400, Count("mostly") + Count("rarely"));
        Assert.Equal(400, Enumerable.Range(1, 5).Sum(page => Count($"page_{page}")));
        Assert.True(Count("page_1") > Count("page_2") && Count("page_2") > Count("page_5"));
    }

    [Fact]
    public void Store_is_filled_by_a_separate_scenario()
    {
        var example = new KeyValueStoreExample();

        var result = example.Run();

        Assert.Equal(30, example.Store.Count);
        Assert.Equal(["store_read", "store_write"], result.ScenarioStats.Select(scenario => scenario.ScenarioName));
        Assert.Equal(
            (200, 50),
            (result.ScenarioStats.Get("store_read").Ok.Request.Count,
                result.ScenarioStats.Get("store_write").Ok.Request.Count));
        Assert.Equal(250_000, result.AllBytes);
    }

    [Fact]
    public void Step_is_repeated_where_a_failure_does_not_end_the_iteration()
    {
        var stats = new FailuresExample().RunWithRetry().ScenarioStats.Get("retry");

        Assert.Equal((10, 0), (stats.Ok.Request.Count, stats.Fail.Request.Count));
        Assert.Equal((10, 20, 33, 67),
            (stats.StepStats.Get("step_1").Ok.Request.Count, stats.StepStats.Get("step_1").Fail.Request.Count,
            stats.StepStats.Get("step_1").Ok.Request.Percent, stats.StepStats.Get("step_1").Fail.Request.Percent));
    }

    [Fact]
    public void Failed_step_fails_its_iteration_once()
    {
        var stats = new FailuresExample().RunWithErrors().ScenarioStats.Get("errors");

        Assert.Equal((10, 30, 75), (stats.Ok.Request.Count, stats.Fail.Request.Count, stats.Fail.Request.Percent));
        Assert.Equal([("-100", 10), ("-101", 10), ("404", 10)],
            stats.Fail.StatusCodes.Select(code => (code.StatusCode, code.Count)).Order());
        Assert.Equal(50, stats.Fail.DataTransfer.AllBytes);
        Assert.Equal(250, stats.Ok.Latency.MeanMs, 0.01);
    }

    [Fact]
    public void So_many_failures_stop_the_test()
    {
        var result = new FailuresExample().RunUntilMaxFailCount();

        Assert.Equal(7, result.AllFailCount);
        Assert.NotNull(result.Measured.StopReason);
    }

    [Fact]
    public void Scenario_stops_another_one_and_continues()
    {
        var result = new StopExample().RunStopScenario();

        Assert.Equal(50, result.ScenarioStats.Get("foreground").Ok.Request.Count);
        Assert.Equal("enough", result.Measured.Scenario("background").StopReason);
        Assert.Null(result.Measured.StopReason);
        Assert.InRange(result.Duration, TimeSpan.Zero, TimeSpan.FromSeconds(30));
    }

    [Fact]
    public void Iteration_stops_the_test_and_its_copy_keeps_data_until_then()
    {
        var result = new StopExample().RunStopTest();

        Assert.Equal(5, result.AllOkCount);
        Assert.Contains("five are enough", result.Measured.StopReason);
    }

    [Fact]
    [JudgesRealTime]
    public Task Iterations_that_outlast_the_load_are_waited_for() => RealTime.HoldsAsync(() =>
        Assert.Equal(1, new StopExample().RunWithCompletionTimeout().AllOkCount));
}
