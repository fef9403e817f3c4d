using System.Net.Sockets;
using LoadTesting.Core.Reporting.Live;
using Runs = UnitTests.LoadTesting.Load.Runs;

namespace UnitTests.LoadTesting.Reporting;

public sealed class MetricsEndpointTests
{
    [Fact]
    public async Task Metrics_page_has_every_figure_with_escaped_labels()
    {
        using var metrics = new LoadMetrics();
        await Runs.OneAsync(
            Scenario.Create("say \"hi\" \\ now", _ => Runs.Ok)
                .WithLoadSimulations(Simulation.IterationsForConstant(1, 3)),
            new LoadOptions { Metrics = metrics });
        await using var endpoint = await OnFreePortAsync(
            port => Task.FromResult(MetricsEndpoint.Start(metrics, port, () => [new Uri("http://127.0.0.1:5081/")])));
        using var http = new HttpClient { BaseAddress = endpoint.Address };

        using var answer = await http.GetAsync("/metrics", Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        Assert.Equal("text/plain; version=0.0.4; charset=utf-8", answer.Content.Headers.ContentType?.ToString());
        Assert.Contains("load_iterations_completed_total{scenario=\"say \\\"hi\\\" \\\\ now\"} 3\n", page,
            StringComparison.Ordinal);
        Assert.All(LoadMetrics.All, metric => Assert.Contains(
            $"# HELP {metric.Metric} {metric.Help}\n# TYPE {metric.Metric} "
                + $"{(metric.IsCounter ? "counter" : "gauge")}\n",
            page,
            StringComparison.Ordinal));
        Assert.Equal("""[{"targets":["127.0.0.1:5081"]}]""", await http.GetStringAsync("/targets", Cancel));
        using var elsewhere = await http.GetAsync("/", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, elsewhere.StatusCode);
    }

    [Fact]
    public async Task Port_in_use_is_refused_with_its_number()
    {
        using var metrics = new LoadMetrics();
        await using var again = await OnFreePortAsync(async port =>
        {
            using (var other = new TcpListener(IPAddress.Loopback, port))
            {
                other.Start();
                IsRefused(port);
            }

            await using (MetricsEndpoint.Start(metrics, port))
            {
                IsRefused(port);
            }

            return MetricsEndpoint.Start(metrics, port);
        });

        void IsRefused(int port)
        {
            var error = Assert.Throws<InvalidOperationException>(() => MetricsEndpoint.Start(metrics, port));
            Assert.Contains($"http://127.0.0.1:{port}/metrics", error.Message, StringComparison.Ordinal);
            Assert.Contains("choose another port", error.Message, StringComparison.Ordinal);
        }
    }

    /// <summary>A load may be over before the first request is waited for.</summary>
    [Fact]
    public async Task Endpoint_disposed_at_its_start_ends()
    {
        using var metrics = new LoadMetrics();
        for (var i = 0; i < 1_000; i++)
        {
            var endpoint = await OnFreePortAsync(port => Task.FromResult(MetricsEndpoint.Start(metrics, port)));
            Thread.SpinWait(i);
            await endpoint.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        }
    }

    /// <summary>Up to three attempts, because another process may take a port between its choice and its use.</summary>
    private static async Task<MetricsEndpoint> OnFreePortAsync(Func<int, Task<MetricsEndpoint>> start)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return await start(LoopbackPort.Free());
            }
            catch (Exception error) when (error is InvalidOperationException or SocketException && attempt < 3)
            {
            }
        }
    }
}
