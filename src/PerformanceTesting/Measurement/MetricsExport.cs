using Foundation;
using LoadTesting.Core.Reporting.Live;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;

namespace PerformanceTesting.Measurement;

/// <summary>Where a load's figures go while it runs.</summary>
public sealed record MetricsTargets
{
    public const string OtlpName = "WORKFLOW_PERF_OTLP";
    public const string PortName = "WORKFLOW_PERF_METRICS_PORT";

    private const string StandardOtlpName = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private const string ProtocolName = "OTEL_EXPORTER_OTLP_PROTOCOL";

    /// <summary>An OpenTelemetry collector; null by default.</summary>
    public Uri? Otlp { get; init; }

    /// <summary>Whether the collector is sent OTLP over gRPC; over HTTP by default.</summary>
    public bool IsGrpc { get; init; }

    /// <summary>The port of 127.0.0.1 that serves Prometheus text; null by default.</summary>
    public int? Port { get; init; }

    /// <summary>Reads and checks the variables.</summary>
    /// <param name="read">Gives a variable's value or null.</param>
    /// <param name="violations">Is given what is wrong, with what is allowed.</param>
    public static MetricsTargets Read(Func<string, string?> read, ICollection<string> violations)
    {
        ArgumentNullException.ThrowIfNull(read);
        ArgumentNullException.ThrowIfNull(violations);
        var name = string.IsNullOrWhiteSpace(read(OtlpName)) ? StandardOtlpName : OtlpName;
        return new MetricsTargets
        {
            Otlp = ReadAddress(name, read(name), violations),
            IsGrpc = !string.IsNullOrWhiteSpace(read(name)) && ReadIsGrpc(read(ProtocolName), violations),
            Port = ReadPort(read(PortName), violations),
        };
    }

    private static Uri? ReadAddress(string name, string? value, ICollection<string> violations)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            return null;
        }

        if (CollectorAddress.Parse(value.Trim()) is { } address)
        {
            return address;
        }

        violations.Add($"{name} is {CollectorAddress.Quote(value)}. It is the http or https address of an OpenTelemetry collector, "
            + "without user, query or fragment, such as http://127.0.0.1:4318; unset it, and nothing is exported. "
            + "A token belongs into OTEL_EXPORTER_OTLP_HEADERS.");
        return null;
    }

    private static bool ReadIsGrpc(string? value, ICollection<string> violations)
    {
        switch (value?.Trim().ToLowerInvariant())
        {
            case null or "" or "http/protobuf":
                return false;
            case "grpc":
                return true;
            default:
                violations.Add($"{ProtocolName} is '{value}'. It is 'http/protobuf' (the default) or 'grpc'.");
                return false;
        }
    }

    private static int? ReadPort(string? value, ICollection<string> violations)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            return null;
        }

        if (int.TryParse(value.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port is >= 1 and <= 65_535)
        {
            return port;
        }

        violations.Add(
            $"{PortName} is '{value}'. It is a free port of this machine from 1 to 65535, such as 9464; unset it, and no page is served.");
        return null;
    }
}

/// <summary>
/// Exports what loads publish: as a page on loopback, and to a collector, once a second unless OTEL_METRIC_EXPORT_INTERVAL says otherwise.
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

    /// <summary>Null where nobody is to get anything.</summary>
    /// <param name="targets">Where to.</param>
    /// <param name="metrics">What the loads publish to; the caller's.</param>
    /// <exception cref="InvalidOperationException">The port is not available.</exception>
    public static MetricsExport? Start(MetricsTargets targets, LoadMetrics metrics)
    {
        ArgumentNullException.ThrowIfNull(targets);
        return targets is { Otlp: null, Port: null } ? null : new MetricsExport(targets, metrics);
    }

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
