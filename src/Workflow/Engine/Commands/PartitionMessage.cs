using System.Text.Json.Serialization;

namespace Workflow.Engine.Commands;

/// <summary>The content of a message between partitions.</summary>
internal sealed record PartitionMessage
{
    /// <summary>An instance of another partition begins to wait for a key of this partition.</summary>
    public const string Subscribe = "subscribe";

    public const string Unsubscribe = "unsubscribe";

    public const string Deliver = "deliver";

    /// <summary>The wait had ended when the signal arrived: the signal goes to the next waiter.</summary>
    public const string Return = "return";

    public Guid WaitId { get; init; }
    public Guid InstanceId { get; init; }
    public string Name { get; init; } = "";
    public string Key { get; init; } = "";
    public long Position { get; init; }
    public AcceptedSignal? Signal { get; init; }

    /// <summary>The instance that the message is about; null for a signal without a waiter.</summary>
    [JsonIgnore]
    public Guid? AddressedTo => InstanceId == Guid.Empty ? null : InstanceId;

    /// <summary>Sends the message to the lane of a partition with the commit of the open batch.</summary>
    public void Send(LaneState lane, short partition, string kind)
    {
        lane.Batch.Tally.Messages++;
        lane.Batch.AddMessage(Message.Of(lane.NewId(), partition, kind, ToJson(), lane.NextPosition()));
    }

    public string ToJson() => JsonSerializer.Serialize(this);

    public static PartitionMessage Parse(ReadOnlySpan<char> json) =>
        JsonSerializer.Deserialize<PartitionMessage>(json)!;
}
