using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Workflow.WebService.Configuration;
using Workflow.WebService.Metrics;

namespace Workflow.WebService.Hosting;

/// <summary>
/// Sends spans and metrics to an OpenTelemetry collector. Batches, intervals, sampling, headers and the resource follow
/// the standard variables (<c>OTEL_BSP_*</c>, <c>OTEL_METRIC_EXPORT_INTERVAL</c>, <c>OTEL_TRACES_SAMPLER</c>,
/// <c>OTEL_EXPORTER_OTLP_HEADERS</c>, <c>OTEL_SERVICE_NAME</c>), which the packages read themselves.
/// </summary>
internal sealed class OtlpExport : IDisposable
{
    /// <summary>The engine's, the server's requests, requests of activities, and those of the message bus.</summary>
    private static readonly string[] Sources =
        ["Workflow.Engine", "Microsoft.AspNetCore", "System.Net.Http", "MassTransit"];

    private static readonly string[] Meters =
    [
        "Workflow.Engine", ServiceMetrics.MeterName, "Microsoft.AspNetCore.Hosting",
        "Microsoft.AspNetCore.Server.Kestrel",
        "System.Runtime",
    ];

    private readonly TracerProvider _spans;
    private readonly MeterProvider _metrics;

    private OtlpExport(OtlpSettings settings, string node)
    {
        _spans = Sdk.CreateTracerProviderBuilder().SetResourceBuilder(Resource(node)).AddSource(Sources)
            .AddOtlpExporter(options => Configure(options, settings, "v1/traces")).Build();
        _metrics = Sdk.CreateMeterProviderBuilder().SetResourceBuilder(Resource(node)).AddMeter(Meters)
            .AddOtlpExporter(options => Configure(options, settings, "v1/metrics")).Build();
    }

    /// <summary>Starts the export. Null if no collector is configured; then nothing is recorded.</summary>
    public static OtlpExport? Start(ServiceSettings settings) =>
        settings.Otlp is { } otlp ? new(otlp, settings.Cluster.NodeName) : null;

    /// <summary>Sends what is left, for a few seconds at most.</summary>
    public void Dispose()
    {
        _spans.Dispose();
        _metrics.Dispose();
    }

    /// <summary>The variables last: what they name goes before the service's own names.</summary>
    private static ResourceBuilder Resource(string node) => ResourceBuilder.CreateEmpty()
        .AddTelemetrySdk()
        .AddService("workflow", autoGenerateServiceInstanceId: false, serviceInstanceId: node)
        .AddEnvironmentVariableDetector();

    private static void Configure(OtlpExporterOptions options, OtlpSettings settings, string path)
    {
        options.Protocol = settings.IsGrpc ? OtlpExportProtocol.Grpc : OtlpExportProtocol.HttpProtobuf;
        options.Endpoint = settings.IsGrpc
            ? settings.Endpoint
            : new Uri($"{settings.Endpoint.AbsoluteUri.TrimEnd('/')}/{path}");
    }
}
