using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;

namespace Benchmarks;

/// <summary>The requests of a round trip of <see cref="EngineUnderTest.Definition"/> over HTTP.</summary>
internal static class RoundTripRequests
{
    public const string Definition = "signal-roundtrip";
    public const string Signal = "resume";

    public static JsonElement Payload { get; } = JsonSerializer.SerializeToElement(new { approved = true });

    public static JsonElement Input(string key) => JsonSerializer.SerializeToElement(new { requestId = key });

    public static StartInstance Start(string key) => new()
    {
        Definition = Definition, CorrelationKey = key, Input = Input(key),
    };

    public static SendSignal Resume(string key) => new() { Name = Signal, CorrelationKey = key, Payload = Payload };
}
