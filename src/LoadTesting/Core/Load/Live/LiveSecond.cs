namespace LoadTesting.Core.Load.Live;

/// <summary>A finished second of a scenario, for displays and abort rules.</summary>
/// <param name="Index">From 0.</param>
/// <param name="Latency">Latency of completed iterations: response time, or service time without a schedule.</param>
/// <param name="Lag">Intended to actual start of the iterations that ended; empty without a schedule.</param>
/// <param name="Failed">Failed iterations.</param>
/// <param name="Errors">Failures by status code.</param>
internal sealed record LiveSecond(
    long Index, LatencyHistogram Latency, LatencyHistogram Lag, long Failed, IReadOnlyDictionary<string, long> Errors);
