using System.Text.Json;
using System.Text.Json.Serialization;
using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Commands;

/// <summary>The body of a message between partitions.</summary>
internal sealed record PartitionMessage
{
    /// <summary>An instance of another partition begins to wait here.</summary>
    public const string Subscribe = "subscribe";

    public const string Unsubscribe = "unsubscribe";

    /// <summary>A signal for its wait.</summary>
    public const string Deliver = "deliver";

    /// <summary>The wait was over when the signal came: it goes to the next waiter.</summary>
    public const string Return = "return";

    public Guid WaitId { get; init; }
    public Guid InstanceId { get; init; }
    public string Name { get; init; } = "";
    public string Key { get; init; } = "";
    public long Position { get; init; }
    public SignalRow? Signal { get; init; }

    /// <summary>The instance it concerns; null for a signal without a waiter.</summary>
    [JsonIgnore]
    public Guid? AddressedTo => InstanceId == Guid.Empty ? null : InstanceId;

    /// <summary>Sends it to the lane of a partition, with the commit of the present batch.</summary>
    public void Send(LaneContext lane, short partition, string kind)
    {
        lane.Batch.Tally.Messages++;
        lane.Batch.AddMessage(new(lane.NewId(), partition, kind, ToJson(), lane.NextPosition()));
    }

    public string ToJson() => JsonSerializer.Serialize(this);

    public static PartitionMessage Parse(string json) =>
        JsonSerializer.Deserialize<PartitionMessage>(json)
            ?? throw new JsonException("A message between partitions is the JSON text null.");
}
