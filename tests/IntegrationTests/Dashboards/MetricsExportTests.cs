using IntegrationTests.WebService;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Live;
using PerformanceTesting.Measurement;

namespace IntegrationTests.Dashboards;

/// <summary>The exports of a measured run reach a collector.</summary>
[Trait("Category", "Integration")]
public sealed class MetricsExportTests
{
    [Fact]
    public async Task Figures_of_a_load_go_to_the_collector_and_to_the_page()
    {
        await using var collector = await TelemetryTests.Collector.StartAsync();
        var port = LoopbackPort.Free();
        using var metrics = new LoadMetrics();
        await using (MetricsExport.Start(new MetricsTargets { Otlp = new Uri(collector.Url), Port = port }, metrics))
        {
            await new LoadRunner().RunAsync(
                [
                    Scenario.Create("exported", _ => Task.FromResult<IResponse>(Response.Ok()))
                        .WithLoadSimulations(Simulation.IterationsForConstant(1, 7)),
                ],
                new LoadOptions { Metrics = metrics }, Cancel);
            using var http = new HttpClient();
            Assert.Contains(
                "\nload_iterations_completed_total{scenario=\"exported\"} 7\n",
                await http.GetStringAsync($"http://127.0.0.1:{port}/metrics", Cancel), StringComparison.Ordinal);
        }

        Assert.True(
            collector.Has("/v1/metrics", "load.iterations.completed", "LoadTesting", "exported", "load-generator"));
    }

    [Fact]
    public void Nothing_is_exported_by_default()
    {
        using var metrics = new LoadMetrics();

        Assert.Null(MetricsExport.Start(new MetricsTargets(), metrics));
    }
}
