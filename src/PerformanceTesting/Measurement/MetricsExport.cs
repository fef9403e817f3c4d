using LoadTesting.Core.Reporting.Live;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;

namespace PerformanceTesting.Measurement;

/// <summary>
/// Exports what loads publish: as a page on loopback, and to a collector, once a second unless
/// OTEL_METRIC_EXPORT_INTERVAL says otherwise.
/// </summary>
public sealed class MetricsExport : IAsyncDisposable
{
    private const int IntervalMs = 1_000;

    private readonly MetricsEndpoint? _page;
    private readonly MeterProvider? _otlp;
    private volatile IReadOnlyList<Uri> _services = [];

    private MetricsExport(MetricsTargets targets, LoadMetrics metrics)
    {
        _page = targets.Port is { } port ? MetricsEndpoint.Start(metrics, port, () => _services) : null;
        _otlp = targets.Otlp is { } collector ? Send(collector, targets.IsGrpc) : null;
    }

    /// <summary>Starts the export; null if no target is set.</summary>
    /// <param name="targets">The targets of the export.</param>
    /// <param name="metrics">What the loads publish to; the caller's.</param>
    /// <exception cref="InvalidOperationException">The port is not available.</exception>
    public static MetricsExport? Start(MetricsTargets targets, LoadMetrics metrics) =>
        targets is { Otlp: null, Port: null } ? null : new MetricsExport(targets, metrics);

    /// <summary>From now on the page names where these services have pages of their own.</summary>
    public void Point(IReadOnlyList<Uri> services) => _services = services;

    /// <summary>Sends what is left, for some seconds at most where the collector does not answer.</summary>
    public async ValueTask DisposeAsync()
    {
        _otlp?.Dispose();
        await (_page?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    private static MeterProvider Send(Uri collector, bool isGrpc) => Sdk.CreateMeterProviderBuilder()
        .SetResourceBuilder(ResourceBuilder.CreateEmpty()
            .AddTelemetrySdk()
            .AddService(
                "load-generator", autoGenerateServiceInstanceId: false,
                serviceInstanceId: $"{Environment.MachineName}-{Environment.ProcessId}")
            .AddEnvironmentVariableDetector())
        .AddMeter(LoadMetrics.MeterName)
        .AddOtlpExporter((exporter, reader) =>
        {
            exporter.Protocol = isGrpc ? OtlpExportProtocol.Grpc : OtlpExportProtocol.HttpProtobuf;
            exporter.Endpoint = isGrpc ? collector : new Uri($"{collector.AbsoluteUri.TrimEnd('/')}/v1/metrics");
            reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds ??= IntervalMs;
        })
        .Build();
}
