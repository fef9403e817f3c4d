namespace Workflow.Contracts.Events;

/// <summary>The names of the event types that the engine itself raises, and their JSON.</summary>
public static class EventTypes
{
    private static readonly Dictionary<string, Type> Known = new(StringComparer.Ordinal)
    {
        [nameof(InstanceCompleted)] = typeof(InstanceCompleted),
        [nameof(InstanceFailed)] = typeof(InstanceFailed),
        [nameof(InstanceCancelled)] = typeof(InstanceCancelled),
        [nameof(InstanceSuspended)] = typeof(InstanceSuspended),
        [nameof(InstanceResumed)] = typeof(InstanceResumed),
        [nameof(InstanceRetried)] = typeof(InstanceRetried),
        [nameof(TaskCreated)] = typeof(TaskCreated),
        [nameof(TaskCompleted)] = typeof(TaskCompleted),
        [nameof(SignalReceived)] = typeof(SignalReceived),
        [nameof(SignalExpired)] = typeof(SignalExpired),
        [nameof(DefinitionRegistered)] = typeof(DefinitionRegistered),
        [nameof(EventRaised)] = typeof(EventRaised),
    };

    /// <summary>
    /// Name of the frame that stands for events which are not kept any more; it holds <see cref="EventGap"/>.
    /// </summary>
    public const string Gap = "gap";

    /// <summary>Names that a <c>raise</c> step may not use.</summary>
    public static IReadOnlySet<string> Reserved { get; } = Known.Keys.Append(Gap).ToHashSet(StringComparer.Ordinal);

    public static string ToJson(IntegrationEvent value) =>
        JsonSerializer.Serialize(value, value.GetType(), ContractsJson.Default);

    /// <summary>Writes the same without reflection: every workflow raises at least one.</summary>
    /// <param name="writer">Escapes as its own options say.</param>
    public static void Write(Utf8JsonWriter writer, IntegrationEvent value) =>
        JsonSerializer.Serialize(writer, value, value.GetType(), EventWriters.Default);

    /// <summary>
    /// Reads an event of a type; every name that is not the engine's own is an <see cref="EventRaised"/>.
    /// </summary>
    /// <exception cref="JsonException">The text is not such an event.</exception>
    public static IntegrationEvent FromJson(string type, string json) =>
        Present(type, JsonSerializer.Deserialize(json, TypeOf(type), ContractsJson.Default));

    /// <summary>The same of UTF-8.</summary>
    /// <exception cref="JsonException">The text is not such an event.</exception>
    public static IntegrationEvent FromJson(string type, ReadOnlySpan<byte> json) =>
        Present(type, JsonSerializer.Deserialize(json, TypeOf(type), ContractsJson.Default));

    private static Type TypeOf(string type) => Known.GetValueOrDefault(type, typeof(EventRaised));

    private static IntegrationEvent Present(string type, object? read) =>
        (IntegrationEvent?)read ?? throw new JsonException($"The event of type '{type}' is the JSON text null.");

    /// <exception cref="JsonException">The text is not such a frame.</exception>
    public static EventGap GapFromJson(string json) => JsonSerializer.Deserialize<EventGap>(json, ContractsJson.Default)
        ?? throw new JsonException($"The event of type '{Gap}' is the JSON text null.");
}
