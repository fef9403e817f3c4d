using System.Text.Json.Serialization;

namespace Workflow.Engine.DeadLetters;

internal sealed record DeadMessage(string Kind, JsonElement Body)
{
    [JsonIgnore]
    public bool HasSignal => Kind is PartitionMessage.Deliver or PartitionMessage.Return;

    /// <summary>The wait that the message subscribes; null for other kinds.</summary>
    [JsonIgnore]
    public Guid? SubscribingWait =>
        Kind == PartitionMessage.Subscribe ? Body.GetProperty(nameof(PartitionMessage.WaitId)).GetGuid() : null;

    /// <summary>
    /// Copies the message without converting it: a position has more digits than a number of an expression.
    /// </summary>
    public static DeadMessage From(Message message)
    {
        using var body = JsonDocument.Parse(message.Json);
        return new(message.Kind, body.RootElement.Clone());
    }
}
