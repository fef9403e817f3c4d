using Foundation;

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

        violations.Add($"{name} is {CollectorAddress.Quote(value)}. It is the http or https address of an "
            + "OpenTelemetry collector, without user, query or fragment, such as http://127.0.0.1:4318; unset it to "
            + "export nothing. Put a token into OTEL_EXPORTER_OTLP_HEADERS.");
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

        if (int.TryParse(value.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var port)
            && port is >= 1 and <= 65_535)
        {
            return port;
        }

        violations.Add(
            $"{PortName} is '{value}'. It is a free port of this machine from 1 to 65535, such as 9464; unset it to serve no page.");
        return null;
    }
}
