namespace Workflow.Engine.Lanes;

/// <summary>
/// A command of another node that waits for the reply. A new key is not looked up: if it was used before, the commit
/// fails.
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
        _remote = command.ToLaneCommand(request.Kind, request.Id, services.Definitions);

        // The row of an instance to retry is read together with the keys.
        _isKeyNew = command.RequestHash == RemoteCommand.NodeHash && Retry is null;
        Trace = command.TraceParent;
    }

    /// <summary>The retry in the request; null for any other command.</summary>
    public RetryLaneCommand? Retry => _remote as RetryLaneCommand;

    public override Guid SubjectId => _request.Id;
    public override long Size => _request.Body.Length;
    public override string? Key => _remote.Key;
    public override bool IsKeyNew => _isKeyNew;
    public override string Description => _remote.Description;
    public override bool CanDeadLetter => _remote.CanDeadLetter;

    public override void NoteNeeds(LaneState lane) => _remote.NoteNeeds(lane);

    public override void Apply(LaneState lane)
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

    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts)
    {
        _remote.DeadLetter(lane, deadLetterId, reason, attempts);
        Succeed(_remote.Reply!);
    }
}
