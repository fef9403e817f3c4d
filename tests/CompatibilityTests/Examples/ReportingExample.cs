using System.Data;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using Microsoft.Extensions.Configuration;
using Serilog;

namespace CompatibilityTests.Examples;

public class CustomReportingSink : IReportingSink
{
    private ILogger _log = null!;

    public List<string> Calls { get; } = [];
    public List<ScenarioStats[]> Realtime { get; } = [];
    public NodeStats? Final { get; private set; }

    public string SinkName => nameof(CustomReportingSink);

    public Task Init(IBaseContext context, IConfiguration infraConfig)
    {
        _log = context.Logger.ForContext<CustomReportingSink>();
        _log.Information("{0} of session {1}", SinkName, context.TestInfo.SessionId);
        Calls.Add($"Init on {context.GetNodeInfo().CoresCount > 0}");
        return Task.CompletedTask;
    }

    public Task Start(SessionStartInfo sessionInfo)
    {
        Calls.Add($"Start {string.Join(",", sessionInfo.Scenarios.Select(scenario => scenario.ScenarioName))}");
        return Task.CompletedTask;
    }

    public Task SaveRealtimeStats(ScenarioStats[] stats)
    {
        Realtime.Add(stats);
        return Task.CompletedTask;
    }

    public Task SaveFinalStats(NodeStats stats)
    {
        Final = stats;
        Calls.Add("SaveFinalStats");
        return Task.CompletedTask;
    }

    public Task Stop()
    {
        Calls.Add("Stop");
        return Task.CompletedTask;
    }

    public void Dispose() => Calls.Add("Dispose");
}

// As it was written for NBomber 4: Start has no argument.
public class CustomPlugin : IWorkerPlugin
{
    public bool WasStarted { get; private set; }

    public string PluginName => nameof(CustomPlugin);

    public Task Init(IBaseContext context, IConfiguration infraConfig)
    {
        context.MetricsProvider.RegisterMetric("queue-length", "messages", 1, MetricType.Gauge);
        context.MetricsProvider.PublishMetric("queue-length", 12);
        context.MetricsProvider.PublishMetric("queue-length", 20);
        return Task.CompletedTask;
    }

    public Task Start()
    {
        WasStarted = true;
        return Task.CompletedTask;
    }

    public Task<DataSet> GetStats(NodeStats stats)
    {
        var table = new DataTable("custom");
        table.Columns.Add("Key", typeof(string));
        table.Columns.Add("Value", typeof(int));
        table.Rows.Add("iterations", stats.ScenarioStats.Get("reporting").Ok.Request.Count);
        var set = new DataSet();
        set.Tables.Add(table);
        return Task.FromResult(set);
    }

    public string[] GetHints() => ["Look at the queue."];

    public Task Stop() => Task.CompletedTask;

    public void Dispose()
    {
    }
}

public class ReportingExample(string folder)
{
    public CustomReportingSink Sink { get; } = new();
    public CustomPlugin Plugin { get; } = new();

    public NodeStats Run()
    {
        var scenario = Scenario.Create("reporting", async context =>
        {
            await Step.Run("login", context, async () =>
            {
                await Task.Delay(10);
                return Response.Ok(sizeBytes: 100, statusCode: "200");
            });

            context.Logger.Debug("iteration {0}", context.InvocationNumber);
            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(
            Simulation.Inject(rate: 20, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromSeconds(4)));

        return NBomberRunner
            .RegisterScenarios(scenario)
            .WithReportingSinks(Sink)
            .WithWorkerPlugins(Plugin)
            .WithReportingInterval(TimeSpan.FromSeconds(1))
            .WithReportFolder(folder)
            .WithReportFileName("my_report")
            .WithReportFormats(ReportFormat.Txt, ReportFormat.Csv, ReportFormat.Html, ReportFormat.Md)
            .EnableHintsAnalyzer(true)
            .Run();
    }
}
