using Workflow.Engine.Signals;

namespace Workflow.Engine.Lanes;

/// <summary>
/// Messages of other partitions and nodes. Of several copies only one is applied, once, and its row is removed in the
/// same commit.
/// </summary>
internal sealed class MessageHandler(SignalHandler signals, DeadLetterHandler deadLetters, LaneState lane)
{
    /// <summary>
    /// The messages of the snapshot, and whether each was applied since. Copies may have been posted while the snapshot
    /// was read.
    /// </summary>
    private readonly Dictionary<Guid, bool> _loaded = [];

    /// <summary>
    /// The most recently applied other messages. A message may be posted by its sender and by a reader of the inbox.
    /// </summary>
    private readonly RecentEntries<Guid, bool> _applied = new(capacity: 8_192);

    /// <summary>Adds a message that is committed and not applied.</summary>
    public void Load(Guid message) => _loaded.Add(message, false);

    public bool IsLoaded(Guid message) => _loaded.ContainsKey(message);

    /// <summary>
    /// Whether this copy of the message is the one to apply. A copy in the snapshot takes precedence.
    /// </summary>
    public bool ShouldApply(Guid message, bool fromSnapshot)
    {
        if (_loaded.TryGetValue(message, out var applied) != fromSnapshot || applied)
        {
            return false;
        }

        if (fromSnapshot)
        {
            _loaded[message] = true;
            lane.Batch.OnRollBack(() => _loaded[message] = false);
            return true;
        }

        if (!_applied.TryAdd(message, true))
        {
            return false;
        }

        lane.Batch.OnRollBack(() => _applied.Remove(message));
        return true;
    }

    /// <summary>Whether to apply a message that represents all its copies, such as a dead letter.</summary>
    public bool ShouldApply(Guid message) => ShouldApply(message, IsLoaded(message));

    public void Apply(Message message)
    {
        lane.Batch.RemoveMessage(message.Id);
        signals.Apply(message.Partition, message.Kind, PartitionMessage.Parse(message.Json.Span));
    }

    /// <summary>Removes the message of a command of another node and writes the reply in the same commit.</summary>
    public void AddReply(Message message, string? reply)
    {
        lane.Batch.RemoveMessage(message.Id);
        if (reply is not null)
        {
            lane.Batch.AddReply(new(message.Id, reply, lane.Now));
        }
    }

    public void DeadLetter(Message message, Guid deadLetterId, string reason, int attempts)
    {
        if (ShouldApply(message.Id))
        {
            lane.Batch.RemoveMessage(message.Id);
            var instance = PartitionMessage.Parse(message.Json.Span).AddressedTo;
            deadLetters.Add(
                new(DeadLetterKind.Message, message.Partition, message.Id, instance, DeadMessage.From(message)),
                deadLetterId, reason, attempts);
        }
    }

    public bool Replay(DeadLetterRow deadLetter)
    {
        var message = DeadLetterDraft.Read<DeadMessage>(deadLetter.Payload);
        signals.Apply(deadLetter.Partition, message.Kind, PartitionMessage.Parse(message.Body.GetRawText()));
        return true;
    }
}
