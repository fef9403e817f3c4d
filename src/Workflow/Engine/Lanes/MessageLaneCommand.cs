namespace Workflow.Engine.Lanes;

/// <summary>
/// A message from a partition of another lane, or a command of another node. After a reload, the copy of the snapshot
/// counts.
/// </summary>
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
        _remote = command.ToLaneCommand(message.Kind, message.Id, services.Definitions);
        AcceptedUtc = command.AcceptedUtc;
        Trace = command.TraceParent;
        AcceptedTicks = command.BootId == BootId.Current ? command.AcceptedTicks : 0;
    }

    /// <summary>
    /// The load after which the message was posted. A later load contains the message too, unless it was applied.
    /// </summary>
    public int Load { get; }

    /// <summary>The retry in the message; null for any other message.</summary>
    public RetryLaneCommand? Retry => _remote as RetryLaneCommand;

    public override Guid SubjectId => _message.Id;
    public override long Size => _message.Body.Length;
    public override string? Key => _remote?.Key;
    public override string Description => _remote?.Description ?? $"message '{_message.Kind}' {_message.Id}";
    public override bool CanDeadLetter => true;

    /// <summary>
    /// A command without a waiting caller becomes a dead letter, as on its own node. Other commands are refused.
    /// </summary>
    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts)
    {
        var messages = lane.Messages;
        if (_remote is null)
        {
            messages.DeadLetter(_message, deadLetterId, reason, attempts);
            return;
        }

        if (!messages.ShouldApply(_message.Id))
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

    public override void NoteNeeds(LaneState lane)
    {
        if (_remote is not null)
        {
            _remote.NoteNeeds(lane);
        }
        else
        {
            lane.Signals.NoteNeeds(_message.Kind, PartitionMessage.Parse(_message.Json.Span));
        }
    }

    public override void Apply(LaneState lane)
    {
        var messages = lane.Messages;
        if (!messages.ShouldApply(_message.Id, _fromSnapshot))
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
