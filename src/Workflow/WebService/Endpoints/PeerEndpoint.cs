using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.WebService.Access;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>
/// Takes the requests of other nodes, which show a key that they have from the store: a user's key is of no use here.
/// </summary>
internal sealed class PeerEndpoint(WorkflowEngine engine, RequestBody bodies)
{
    public const string KeyHeader = "X-Node-Key";
    public const string OwnerHeader = "X-Lane-Owner";

    /// <summary>What is JSON within JSON may be twice as large.</summary>
    private const int BodyLimits = 2;

    public static string PathOf(PeerRequest request) =>
        FormattableString.Invariant(
            $"{AccessMiddleware.Nodes}/commands/{request.Kind}/{request.Partition}/{request.Id}");

    public void Map(RouteMap routes) =>
        routes.Post(
            AccessMiddleware.Nodes + "/commands/{kind}/{partition}/{id}", ExecuteAsync, "A request of another node.")
            .ExcludeFromDescription();

    private async Task ExecuteAsync(HttpContext context, string kind, short partition, Guid id)
    {
        if (!engine.IsPeerKey(context.Request.Headers[KeyHeader]))
        {
            throw new ProblemException(new Problem(StatusCodes.Status401Unauthorized, "node-key-required",
                "Only nodes on the same store send requests here, with a key of their own in the header "
                    + $"{KeyHeader}."));
        }

        var body = await bodies.ReadAsync(context, static bytes => Encoding.UTF8.GetString(bytes), limits: BodyLimits);
        var reply = await engine.ExecuteForPeerAsync(new(id, partition, kind, body));
        switch (reply.Outcome)
        {
            case PeerOutcome.Answered:
                await JsonResponse.WriteTextAsync(
                    context, StatusCodes.Status200OK, JsonResponse.ContentType, reply.Body!);
                break;
            case PeerOutcome.NotOwner:
                context.Response.Headers[OwnerHeader] = reply.Owner?.ToString();
                throw new ProblemException(new Problem(
                    StatusCodes.Status421MisdirectedRequest, "not-owner",
                    $"This node does not own the lane of partition {partition}."));
            default:
                throw new ProblemException(new Problem(
                    StatusCodes.Status503ServiceUnavailable, "outcome-unknown",
                    "The command may or may not be committed.")
                {
                    OutcomeUnknown = true,
                });
        }
    }
}
