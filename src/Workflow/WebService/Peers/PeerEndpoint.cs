using System.Threading.Channels;
using Workflow.Abstractions.Exceptions;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Peers;

/// <summary>
/// Takes the connections of other nodes, which show a key that they have from the store: a user's key is of no use
/// here.
/// </summary>
internal sealed class PeerEndpoint(
    WorkflowEngine engine, ServiceSettings settings, IHostApplicationLifetime lifetime, ILogger logger)
{
    public const string KeyHeader = "X-Node-Key";

    /// <summary>What is JSON within JSON may be twice as large.</summary>
    private const int BodyLimits = 2;

    /// <summary>Room for the other items of a frame.</summary>
    private const long Frame = 1_048_576;

    private const string Path = AccessMiddleware.Nodes + "/peers";

    public static Uri AddressOf(Peer peer) => new UriBuilder(new Uri(peer.Address, Path))
    {
        Scheme = peer.Address.Scheme == Uri.UriSchemeHttps ? Uri.UriSchemeWss : Uri.UriSchemeWs,
    }.Uri;

    public static long LargestFrame(ServiceSettings settings) => (BodyLimits * settings.MaxBodyBytes) + Frame;

    public void Map(RouteMap routes) => routes.Stream(Path, AcceptAsync, "The connection of another node.")
        .ExcludeFromDescription();

    private async Task AcceptAsync(HttpContext context)
    {
        if (!engine.IsPeerKey(context.Request.Headers[KeyHeader]))
        {
            throw new ProblemException(new Problem(StatusCodes.Status401Unauthorized, "node-key-required",
                "Only nodes on the same store connect here, with a key of their own in the header "
                    + $"{KeyHeader}."));
        }

        if (!context.WebSockets.IsWebSocketRequest)
        {
            throw new ProblemException(new Problem(StatusCodes.Status426UpgradeRequired, "request-invalid",
                "Nodes open a web socket here."));
        }

        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(
            context.RequestAborted, lifetime.ApplicationStopping);
        var outgoing = Channel.CreateUnbounded<(Guid, PeerReply)>(new() { SingleReader = true });
        try
        {
            await new FrameSocket<(Guid, PeerReply), PeerRequest>(
                    socket, outgoing.Reader, PeerFrames.Write, PeerFrames.ReadRequest, LargestFrame(settings))
                .RunAsync(request => _ = AnswerAsync(request, outgoing.Writer), ended.Token);
        }
        catch (Exception e) when (PeerFrames.IsEnd(e))
        {
            // The other node learns it from the end of the connection.
            Log.PeerConnectionEnded(logger, e.Message, context.Connection.RemoteIpAddress);
        }
    }

    private async Task AnswerAsync(PeerRequest request, ChannelWriter<(Guid, PeerReply)> outgoing)
    {
        PeerReply reply;
        try
        {
            reply = await engine.ExecuteForPeerAsync(request);
        }
        catch (InvalidCommandException e)
        {
            Log.PeerRequestRefused(logger, e.Message);
            reply = new(PeerOutcome.NotOwner);
        }
        catch (Exception e)
        {
            Log.PeerRequestFailed(logger, e);
            reply = new(PeerOutcome.Unknown);
        }

        // Where the connection has ended, the other node asks again by the inbox.
        outgoing.TryWrite((request.Id, reply));
    }
}
