using System.Text.Json.Serialization;

namespace Workflow.Contracts.Events;

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(InstanceCompleted))]
[JsonSerializable(typeof(InstanceFailed))]
[JsonSerializable(typeof(InstanceCancelled))]
[JsonSerializable(typeof(InstanceSuspended))]
[JsonSerializable(typeof(InstanceResumed))]
[JsonSerializable(typeof(InstanceRetried))]
[JsonSerializable(typeof(TaskCreated))]
[JsonSerializable(typeof(TaskCompleted))]
[JsonSerializable(typeof(SignalReceived))]
[JsonSerializable(typeof(SignalExpired))]
[JsonSerializable(typeof(DefinitionRegistered))]
[JsonSerializable(typeof(EventRaised))]
internal sealed partial class EventWriters : JsonSerializerContext;
