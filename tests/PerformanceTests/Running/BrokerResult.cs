using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Measurement;

namespace PerformanceTests.Running;

/// <summary>Marks a result whose events came over a broker: it has a name of its own, so that nothing takes it for one whose events did not.</summary>
internal static class BrokerResult
{
    /// <summary>Value of <see cref="ScenarioResult.Transport"/>, and the last part of the name.</summary>
    public const string Transport = "rabbitmq";

    /// <summary>The name of a result.</summary>
    /// <param name="name">Without the transport.</param>
    /// <param name="broker">Carries the events; null where they take the hosting's own way.</param>
    public static string NameOf(string name, RabbitMqServer? broker) => broker is null ? name : $"{name}-{Transport}";

    /// <summary>The result with its name, the broker's counters and how the events travelled.</summary>
    /// <param name="result">As of the hosting's own way.</param>
    /// <param name="remarks">How the events travelled, and what the broker carries alone, in words.</param>
    /// <param name="counters">What the broker counted.</param>
    public static ScenarioResult Of(ScenarioResult result, IReadOnlyList<string> remarks, CollectedCounters counters)
    {
        var backend = result.Backend ?? new BackendCounters();
        var completed = result.Ledger?.Completed ?? 0;
        double? Per(string name) => completed > 0 && counters.Raw.TryGetValue($"rabbitmq_global_messages_{name}_total", out var count) ? count / completed : null;
        return result with
        {
            Name = $"{result.Name}-{Transport}",
            Transport = Transport,
            Backend = backend with
            {
                Raw = new Dictionary<string, double>(backend.Raw.Concat(counters.Raw)),
                PerOperation = new Dictionary<string, double?>(backend.PerOperation)
                {
                    ["messagesPublished"] = Per("received"),
                    ["messagesConfirmed"] = Per("confirmed"),
                    ["messagesDelivered"] = Per("delivered"),
                    ["messagesRedelivered"] = Per("redelivered"),
                },
                Notes = [.. backend.Notes, .. counters.Notes],
            },
            Notes = [.. result.Notes, .. remarks],
        };
    }
}
