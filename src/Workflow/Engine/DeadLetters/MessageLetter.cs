using System.Text.Json;
using System.Text.Json.Serialization;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Execution;

namespace Workflow.Engine.DeadLetters;

/// <summary>The payload of a dead message.</summary>
internal sealed record MessageLetter(string Kind, JsonElement Body)
{
    /// <summary>Whether the message carries a signal.</summary>
    [JsonIgnore]
    public bool HasSignal => Kind is PartitionMessage.Deliver or PartitionMessage.Return;

    /// <summary>The wait that the message subscribes; null for any other kind.</summary>
    [JsonIgnore]
    public Guid? SubscribingWait => Kind == PartitionMessage.Subscribe ? Body.GetProperty(nameof(PartitionMessage.WaitId)).GetGuid() : null;

    /// <summary>The body goes in as it is: a position has more digits than a number of an expression.</summary>
    public static MessageLetter From(MessageRow message)
    {
        using var body = JsonDocument.Parse(message.Body);
        return new(message.Kind, body.RootElement.Clone());
    }
}
