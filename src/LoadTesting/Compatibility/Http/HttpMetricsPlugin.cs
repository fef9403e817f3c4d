using System.Data;
using System.Diagnostics.Tracing;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Http;

/// <summary>
/// Publishes connections and waiting requests of all HTTP clients of the process as metrics, every 5 s.
/// </summary>
public sealed class HttpMetricsPlugin(IEnumerable<HttpVersion> monitorVersions) : IWorkerPlugin
{
    private static readonly (HttpVersion Version, string Counter, string Metric, string Unit)[] s_counters =
    [
        (HttpVersion.Version1, "http11-connections-current-total", "HTTP/1.1: connections", ""),
        (HttpVersion.Version1, "http11-requests-queue-duration", "HTTP/1.1: requests-queue-duration", "ms"),
        (HttpVersion.Version2, "http20-connections-current-total", "HTTP/2: connections", ""),
        (HttpVersion.Version2, "http20-requests-queue-duration", "HTTP/2: requests-queue-duration", "ms"),
        (HttpVersion.Version3, "http30-connections-current-total", "HTTP/3: connections", ""),
        (HttpVersion.Version3, "http30-requests-queue-duration", "HTTP/3: requests-queue-duration", "ms"),
    ];

    private readonly HttpVersion[] _versions = [.. monitorVersions.DefaultIfEmpty(HttpVersion.Version1)];
    private IMetricsProvider _metrics;
    private CounterListener _listener;

    public HttpMetricsPlugin()
        : this([])
    {
    }

    public string PluginName => "HttpMetricsPlugin";

    public Task Init(IBaseContext context, IConfiguration infraConfig)
    {
        ArgumentNullException.ThrowIfNull(context);
        _metrics = context.MetricsProvider;
        foreach (var counter in s_counters.Where(counter => _versions.Contains(counter.Version)))
        {
            _metrics.RegisterMetric(counter.Metric, counter.Unit, 1, MetricType.Gauge);
        }

        return Task.CompletedTask;
    }

    public Task Start(SessionStartInfo sessionInfo)
    {
        _listener = new CounterListener(Publish);
        return Task.CompletedTask;
    }

    public Task<DataSet> GetStats(NodeStats stats) => Task.FromResult<DataSet>(null);

    public string[] GetHints() => [];

    public Task Stop()
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose() => _listener?.Dispose();

    private void Publish(string name, double value)
    {
        var counter = Array.Find(s_counters, counter => counter.Counter == name && _versions.Contains(counter.Version));
        if (counter.Metric is not null && double.IsFinite(value))
        {
            _metrics.PublishMetric(counter.Metric, value);
        }
    }

    private sealed class CounterListener(Action<string, double> publish) : EventListener
    {
        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "System.Net.Http")
            {
                EnableEvents(
                    eventSource, EventLevel.LogAlways, EventKeywords.All,
                    new Dictionary<string, string> { ["EventCounterIntervalSec"] = "5" });
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.Payload is [IDictionary<string, object> counter, ..]
                && counter.TryGetValue("Name", out var name) && counter.TryGetValue("Max", out var max)
                && max is double value)
            {
                publish((string)name, value);
            }
        }
    }
}
