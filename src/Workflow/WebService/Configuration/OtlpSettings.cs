namespace Workflow.WebService.Configuration;

/// <summary>An OpenTelemetry collector.</summary>
/// <param name="Endpoint">Absolute, http or https; over HTTP without the path of a signal (<c>v1/traces</c>).</param>
/// <param name="IsGrpc">True for <c>grpc</c>, false for <c>http/protobuf</c>.</param>
internal sealed record OtlpSettings(Uri Endpoint, bool IsGrpc);
