namespace Workflow.Engine.Cluster;

/// <summary>Executes commands that other nodes send to lanes of this node.</summary>
internal sealed class PeerCommands(LaneServices services, LaneSlots slots, PeerRequests peers)
{
    /// <exception cref="InvalidCommandException">This version does not know the request.</exception>
    public async Task<PeerReply> ExecuteAsync(PeerRequest request)
    {
        if (request.Partition is < 0 or >= Partitioning.Count || !RemoteCommand.NeedsReply(request.Kind))
        {
            throw new InvalidCommandException(
                "kind",
                $"'{request.Kind}' for partition {request.Partition} is not a request between nodes of this version.");
        }

        try
        {
            var command = RemoteCommand.Parse(request.Body);
            if (request.Kind == RemoteKind.Start)
            {
                await services.Definitions.EnsureAsync(
                    [(command.Definition!, command.Version)], CancellationToken.None);
            }

            if (slots.Of(request.Partition) is not { } lane)
            {
                return new(PeerOutcome.NotOwner, Owner: peers.OwnerOf(request.Partition));
            }

            if (!services.SeenRequests.TryPost(request.Id))
            {
                return new(PeerOutcome.Unknown);
            }

            var posted = new PeerLaneCommand(request, command, services);
            lane.Post(posted);
            return new(PeerOutcome.Answered, await posted.Completion);
        }
        catch (LaneMovedException)
        {
            return new(PeerOutcome.NotOwner, Owner: peers.OwnerOf(request.Partition));
        }
        catch (Exception e) when (e is StoreUnavailableException or EngineStoppedException)
        {
            return new(PeerOutcome.Unknown);
        }
        catch (WorkflowException e)
        {
            return new(PeerOutcome.Answered, RemoteReply.Of((Exception)e).ToJson());
        }
    }
}
