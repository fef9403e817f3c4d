using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;

namespace Workflow.Engine.Lanes;

/// <summary>A message from a partition of another lane, or a command of another node. After a reload the snapshot's copy counts.</summary>
internal sealed class MessageLaneCommand : LaneCommand
{
    private readonly Message _message;
    private readonly bool _fromSnapshot;
    private readonly LaneCommand? _remote;

    /// <param name="load">The last load of the lane's memory that had begun when the message was posted.</param>
    public MessageLaneCommand(Message message, int load, bool fromSnapshot, LaneServices services)
    {
        Load = load;
        _message = message;
        _fromSnapshot = fromSnapshot;
        if (!RemoteCommand.IsKind(message.Kind))
        {
            return;
        }

        if (RemoteCommand.NeedsReply(message.Kind))
        {
            services.SeenRequests.AddFromInbox(message.Id);
        }

        var command = RemoteCommand.Parse(message.Json.Span);
        _remote = command.ToLaneCommand(message.Kind, message.Id, services.DefinitionOf);
        AcceptedUtc = command.AcceptedUtc;
        Trace = command.TraceParent;
        AcceptedTicks = command.BootId == BootId.Current ? command.AcceptedTicks : 0;
    }

    /// <summary>The load after which it was posted. A later one has the message too, unless it was applied.</summary>
    public int Load { get; }

    /// <summary>The retry that it carries; null for any other.</summary>
    public RetryLaneCommand? Retry => _remote as RetryLaneCommand;

    public override Guid SubjectId => _message.Id;
    public override long Size => _message.Body.Length;
    public override string? Key => _remote?.Key;
    public override string Description => _remote?.Description ?? $"message '{_message.Kind}' {_message.Id}";
    public override bool CanDeadLetter => true;

    /// <summary>A command without a waiting caller becomes a dead letter, as it does on its own node; the others are refused.</summary>
    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        var messages = lane.Handler<MessageHandler>();
        if (_remote is null)
        {
            messages.DeadLetter(_message, deadLetterId, reason, attempts);
            return;
        }

        if (!messages.IsToBeApplied(_message.Id))
        {
            return;
        }

        if (_remote.CanDeadLetter)
        {
            _remote.DeadLetter(lane, deadLetterId, reason, attempts);
        }
        else
        {
            _remote.Refuse(new CommandRejectedException(reason));
        }

        messages.AddReply(_message, _remote.Reply);
    }

    public override void Apply(LaneContext lane)
    {
        var messages = lane.Handler<MessageHandler>();
        if (!messages.IsToBeApplied(_message.Id, _fromSnapshot))
        {
            return;
        }

        if (_remote is null)
        {
            messages.Apply(_message);
            return;
        }

        _remote.Apply(lane);
        messages.AddReply(_message, _remote.Reply);
    }
}

/// <summary>
/// A command that another node has sent, and waits for. Its key may be new and is not looked up then: if it came before, the commit fails.
/// </summary>
internal sealed class PeerLaneCommand : LaneCommand<string>
{
    private readonly PeerRequest _request;
    private readonly LaneCommand _remote;
    private readonly SeenRequests _seen;
    private bool _isKeyNew;

    public PeerLaneCommand(PeerRequest request, RemoteCommand command, LaneServices services)
    {
        _request = request;
        _seen = services.SeenRequests;
        _remote = command.ToLaneCommand(request.Kind, request.Id, services.DefinitionOf);

        // The row of an instance to retry is read with the keys.
        _isKeyNew = command.RequestHash == RemoteCommand.NodeHash && Retry is null;
        Trace = command.TraceParent;
    }

    /// <summary>The retry that it is; null for any other.</summary>
    public RetryLaneCommand? Retry => _remote as RetryLaneCommand;

    public override Guid SubjectId => _request.Id;
    public override long Size => _request.Body.Length;
    public override string? Key => _remote.Key;
    public override bool IsKeyNew => _isKeyNew;
    public override string Description => _remote.Description;
    public override bool CanDeadLetter => _remote.CanDeadLetter;

    public override void Apply(LaneContext lane)
    {
        _isKeyNew = false;
        if (_seen.IsFromInbox(_request.Id))
        {
            Refuse(new StoreUnavailableException(
                $"The {Description} has come by the inbox too, which alone counts.", outcomeUnknown: true));
            return;
        }

        _remote.Apply(lane);
        Succeed(_remote.Reply!);
    }

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        _remote.DeadLetter(lane, deadLetterId, reason, attempts);
        Succeed(_remote.Reply!);
    }
}

/// <summary>
/// The latest requests of other nodes that came to this one, whatever their lane. One that comes twice is posted once, and what its sender
/// has put into the inbox meanwhile counts alone: a copy that is applied after the first was refused would have an effect that nobody
/// knows of. Thread-safe.
/// </summary>
internal sealed class SeenRequests
{
    private const int Capacity = 65_536;

    private readonly Lock _gate = new();
    private readonly RecentEntries<Guid, bool> _posted = new(Capacity);
    private readonly RecentEntries<Guid, bool> _fromInbox = new(Capacity);

    /// <returns>False where it was posted before.</returns>
    public bool TryPost(Guid request)
    {
        lock (_gate)
        {
            return _posted.TryAdd(request, true);
        }
    }

    /// <summary>Its sender has put it into the inbox, and it is about to be posted from there.</summary>
    public void AddFromInbox(Guid request)
    {
        lock (_gate)
        {
            _fromInbox.TryAdd(request, true);
        }
    }

    public bool IsFromInbox(Guid request)
    {
        lock (_gate)
        {
            return _fromInbox.Find(request);
        }
    }
}

/// <summary>The commands that the nodes of a cluster send one another, as those of a lane.</summary>
internal static class RemoteCommands
{
    public static LaneCommand ToLaneCommand(
        this RemoteCommand command, string kind, Guid id, Func<string, int, WorkflowDefinition> definitionOf) => kind switch
    {
        RemoteKind.Signal => new RemoteSignalLaneCommand(
            new()
            {
                Name = command.Name!,
                CorrelationKey = command.CorrelationKey,
                InstanceId = command.Id,
                Payload = ValueOf(command),
                DueAt = command.DueAt,
            },
            id),
        RemoteKind.Start => new StartLaneCommand(
            definitionOf(command.Definition!, command.Version),
            new()
            {
                Definition = command.Definition!,
                Version = command.Version,
                Input = ValueOf(command),
                CorrelationKey = command.CorrelationKey,
                IdempotencyKey = command.IdempotencyKey,
            },
            command.Id!.Value,
            command.RequestHash),
        RemoteKind.Cancel => new CancelLaneCommand(command.Id!.Value, command.IdempotencyKey, command.RequestHash),
        RemoteKind.Suspend or RemoteKind.Resume =>
            new ChangeLaneCommand(kind, command.Id!.Value, command.IdempotencyKey, command.RequestHash),
        RemoteKind.Retry => new RetryLaneCommand(
            new() { InstanceId = command.Id!.Value, Variables = ValueOf(command), IdempotencyKey = command.IdempotencyKey },
            command.RequestHash),
        RemoteKind.Assign => new AssignTaskLaneCommand(command.Id!.Value, command.Assignee!, command.IdempotencyKey, command.RequestHash),
        RemoteKind.Complete => new CompleteTaskLaneCommand(
            new() { TaskId = command.Id!.Value, Output = ValueOf(command), IdempotencyKey = command.IdempotencyKey }, command.RequestHash),
        RemoteKind.Replay => new ReplayLaneCommand(command.Letter!, command.IdempotencyKey, command.RequestHash),
        RemoteKind.Register => new RegisteredLaneCommand(command.Definition!, command.Version, command.RequestHash!),
        var other => throw new InvalidOperationException($"A command in an inbox is of the unknown kind '{other}'."),
    };

    private static Value ValueOf(RemoteCommand command) => command.Value is null ? Value.Null : Value.Parse(command.Value);
}

/// <summary>
/// Messages of other partitions and nodes: of several copies one is applied, once, and its row is removed in that commit.
/// </summary>
internal sealed class MessageHandler
{
    private readonly SignalHandler _signals;
    private readonly DeadLetterHandler _deadLetters;
    private readonly LaneContext _lane;

    /// <summary>Messages of the snapshot, and whether they were applied since: copies may have been posted while it was read.</summary>
    private readonly Dictionary<Guid, bool> _loaded = [];

    /// <summary>The last of the other messages that were applied: one may be posted by its sender and by a reader of the inbox.</summary>
    private readonly RecentEntries<Guid, bool> _applied = new(capacity: 8_192);

    public MessageHandler(SignalHandler signals, DeadLetterHandler deadLetters, LaneContext lane)
    {
        _signals = signals;
        _deadLetters = deadLetters;
        _lane = lane;
        deadLetters.Replays[DeadLetterKind.Message] = deadLetter =>
            Replay(deadLetter, DeadLetterDraft.Read<DeadMessage>(deadLetter.Payload));
    }

    /// <summary>A message that is committed and not applied.</summary>
    public void Load(Guid message) => _loaded.Add(message, false);

    public bool IsLoaded(Guid message) => _loaded.ContainsKey(message);

    /// <summary>Of several copies of a message only one is applied, once: the snapshot's if it has one.</summary>
    public bool IsToBeApplied(Guid message, bool fromSnapshot)
    {
        if (_loaded.TryGetValue(message, out var applied) != fromSnapshot || applied)
        {
            return false;
        }

        if (fromSnapshot)
        {
            _loaded[message] = true;
            _lane.Batch.OnRollBack(() => _loaded[message] = false);
            return true;
        }

        if (!_applied.TryAdd(message, true))
        {
            return false;
        }

        _lane.Batch.OnRollBack(() => _applied.Remove(message));
        return true;
    }

    /// <summary>Whether a message that stands for all its copies, e.g. as a dead letter, is to be applied.</summary>
    public bool IsToBeApplied(Guid message) => IsToBeApplied(message, IsLoaded(message));

    public void Apply(Message message)
    {
        _lane.Batch.RemoveMessage(message.Id);
        _signals.Apply(message.Partition, message.Kind, PartitionMessage.Parse(message.Json.Span));
    }

    /// <summary>A command of another node was applied or refused: its message goes and its reply is written in the same commit.</summary>
    public void AddReply(Message message, string? reply)
    {
        _lane.Batch.RemoveMessage(message.Id);
        if (reply is not null)
        {
            _lane.Batch.AddReply(new(message.Id, reply, _lane.Now));
        }
    }

    public void DeadLetter(Message message, Guid deadLetterId, string reason, int attempts)
    {
        if (IsToBeApplied(message.Id))
        {
            _lane.Batch.RemoveMessage(message.Id);
            _deadLetters.Add(
                new(DeadLetterKind.Message, message.Partition, message.Id, PartitionMessage.Parse(message.Json.Span).AddressedTo,
                    DeadMessage.From(message)),
                deadLetterId, reason, attempts);
        }
    }

    private bool Replay(DeadLetterRow deadLetter, DeadMessage message)
    {
        _signals.Apply(deadLetter.Partition, message.Kind, PartitionMessage.Parse(message.Body.GetRawText()));
        return true;
    }
}
