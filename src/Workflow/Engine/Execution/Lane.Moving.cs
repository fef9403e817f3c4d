using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Inboxes;

namespace Workflow.Engine.Execution;

/// <content>A lane among those of other nodes: its inbox, and its end when it moves.</content>
internal sealed partial class Lane
{
    /// <summary>A message of a lane that runs here as well.</summary>
    public void Deliver(MessageRow message)
    {
        if (Assignment.Node is null || Inbox.TryAdd(message.Id))
        {
            PostInternal(new MessageLaneCommand(message, fromSnapshot: false, _services.DefinitionOf));
        }
    }

    /// <summary>Messages read from the inbox.</summary>
    public async Task TakeAsync(IReadOnlyList<MessageRow> messages, CancellationToken cancellationToken)
    {
        await EnsureDefinitionsAsync([], messages, cancellationToken).ConfigureAwait(false);
        foreach (var message in messages)
        {
            PostInternal(new MessageLaneCommand(message, fromSnapshot: false, _services.DefinitionOf));
        }
    }

    /// <summary>The lease is gone: whatever is not committed never will be.</summary>
    public void Lose()
    {
        _lost = true;
        _refusal = new LaneMovedException(Assignment.Index);
        _signal.Set();
    }

    /// <summary>Where the next owner goes on publishing: else it would publish again what went out since the last flush.</summary>
    private async ValueTask StoreCursorAsync()
    {
        if (Assignment.Node is null || Relays.Count == 0 || _refusal is not null || _store is null)
        {
            return;
        }

        try
        {
            await _store.FlushAsync(new() { Number = _lastBatch + 1, LastSequence = Events.Last, PublishedSequence = PublishedSequence }, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Log.CursorFailed(_logger, e, Assignment.Index);
        }
    }

    private ValueTask EnsureDefinitionsAsync(IEnumerable<InstanceRow> instances, IEnumerable<MessageRow> messages, CancellationToken cancellationToken) =>
        Assignment.Node is null
            ? ValueTask.CompletedTask
            : _services.EnsureDefinitions(
                instances.Select(i => (i.Definition, i.DefinitionVersion))
                    .Concat(messages.Where(m => m.Kind == RemoteKind.Start).Select(m => RemoteCommand.Parse(m.Body)).Select(c => (c.Definition!, c.Version))),
                cancellationToken);

    private void EmptyMailbox(Exception error)
    {
        while (_mailbox.TryDequeue(out var command))
        {
            Finish(command, c => c.Fail(error));
        }
    }

    private WorkflowException Gone(string what) => Assignment.Node is null ? new EngineStoppedException(what) : new LaneMovedException(Assignment.Index);
}
