using System.Text.Json;

namespace Workflow.Contracts.Events;

/// <summary>The names of the event types that the engine itself raises, and their JSON.</summary>
public static class EventTypes
{
    private static readonly Dictionary<string, Type> Known = new(StringComparer.Ordinal)
    {
        [nameof(InstanceCompleted)] = typeof(InstanceCompleted),
        [nameof(InstanceFailed)] = typeof(InstanceFailed),
        [nameof(InstanceCancelled)] = typeof(InstanceCancelled),
        [nameof(TaskCreated)] = typeof(TaskCreated),
        [nameof(TaskCompleted)] = typeof(TaskCompleted),
        [nameof(SignalReceived)] = typeof(SignalReceived),
        [nameof(SignalExpired)] = typeof(SignalExpired),
        [nameof(EventRaised)] = typeof(EventRaised),
    };

    /// <summary>Names that a <c>raise</c> step may not use.</summary>
    public static IReadOnlySet<string> Reserved { get; } = Known.Keys.ToHashSet(StringComparer.Ordinal);

    /// <summary>The event as JSON.</summary>
    public static string ToJson(IntegrationEvent value) => JsonSerializer.Serialize(value, value.GetType(), ContractsJson.Default);

    /// <summary>Reads an event of a type; every name that is not the engine's own is an <see cref="EventRaised"/>.</summary>
    /// <exception cref="JsonException">The text is not such an event.</exception>
    public static IntegrationEvent FromJson(string type, string json) =>
        (IntegrationEvent?)JsonSerializer.Deserialize(json, Known.GetValueOrDefault(type, typeof(EventRaised)), ContractsJson.Default)
        ?? throw new JsonException($"The event of type '{type}' is the JSON text null.");
}
