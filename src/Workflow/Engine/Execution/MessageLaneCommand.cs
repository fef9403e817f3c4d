using Foundation;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Inboxes;

namespace Workflow.Engine.Execution;

/// <summary>
/// A message from a partition of another lane, or a command from another node. After a reload the snapshot's copy stands for every other.
/// </summary>
internal sealed class MessageLaneCommand : LaneCommand
{
    private readonly MessageRow _message;
    private readonly bool _fromSnapshot;
    private readonly LaneCommand? _remote;

    public MessageLaneCommand(MessageRow message, bool fromSnapshot, Func<string, int, WorkflowDefinition> definitionOf)
    {
        _message = message;
        _fromSnapshot = fromSnapshot;
        if (!RemoteCommand.IsKind(message.Kind))
        {
            return;
        }

        var command = RemoteCommand.Parse(message.Body);
        _remote = command.ToLaneCommand(message, definitionOf);
        AcceptedUtc = command.AcceptedUtc;
        AcceptedTicks = command.BootId == BootId.Current ? command.AcceptedTicks : 0;
    }

    public override Guid SubjectId => _message.Id;

    public override string? Key => _remote?.Key;

    public override string Description => _remote?.Description ?? $"message '{_message.Kind}' {_message.Id}";

    public override bool CanBePutAside => true;

    /// <summary>A command that nobody could be told about becomes a letter as it does at its own node; the others are refused, and their callers told.</summary>
    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts)
    {
        if (_remote is null)
        {
            executor.PutMessageAside(_message, letterId, reason, attempts);
            return;
        }

        if (!executor.IsToBeHandled(_message.Id, fromSnapshot: true))
        {
            return;
        }

        if (_remote.CanBePutAside)
        {
            _remote.PutAside(executor, letterId, reason, attempts);
        }
        else
        {
            _remote.Decline(new CommandRejectedException(reason));
        }

        executor.Answer(_message, _remote.Reply);
    }

    public override void Apply(LaneExecutor executor)
    {
        if (!executor.IsToBeHandled(_message.Id, _fromSnapshot))
        {
            return;
        }

        if (_remote is null)
        {
            executor.Handle(_message);
            return;
        }

        _remote.Apply(executor);
        executor.Answer(_message, _remote.Reply);
    }
}
