using System.Buffers;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.WebService.Access;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>Takes the requests of other nodes, which show a key that they have from the store: a user's key is of no use here.</summary>
internal sealed class PeerEndpoint(WorkflowEngine engine, RequestBody bodies)
{
    public const string KeyHeader = "X-Node-Key";
    public const string OwnerHeader = "X-Lane-Owner";

    /// <summary>What is JSON within JSON may be twice as large.</summary>
    private const int BodyLimits = 2;

    public static string PathOf(PeerRequest request) =>
        FormattableString.Invariant($"{AccessMiddleware.Nodes}/commands/{request.Kind}/{request.Partition}/{request.Id}");

    public void Map(RouteMap routes) =>
        routes.Post(AccessMiddleware.Nodes + "/commands/{kind}/{partition}/{id}", ExecuteAsync, "A request of another node.")
            .ExcludeFromDescription();

    private async Task ExecuteAsync(HttpContext context, string kind, short partition, Guid id)
    {
        if (!engine.IsPeerKey(context.Request.Headers[KeyHeader]))
        {
            throw new ProblemException(new Problem(StatusCodes.Status401Unauthorized, "node-key-required",
                $"Only nodes on the same store send requests here, with a key of their own in the header {KeyHeader}."));
        }

        var body = await bodies.ReadAsync(context, static bytes => Encoding.UTF8.GetString(bytes), limits: BodyLimits);
        var reply = await engine.ExecuteForPeerAsync(new(id, partition, kind, body));
        switch (reply.Outcome)
        {
            case PeerOutcome.Answered:
                await JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, JsonResponse.ContentType, reply.Body!);
                break;
            case PeerOutcome.NotOwner:
                context.Response.Headers[OwnerHeader] = reply.Owner?.ToString();
                throw new ProblemException(new Problem(
                    StatusCodes.Status421MisdirectedRequest, "not-owner", $"This node does not own the lane of partition {partition}."));
            default:
                throw new ProblemException(new Problem(
                    StatusCodes.Status503ServiceUnavailable, "outcome-unknown", "The command may or may not be committed.")
                {
                    OutcomeUnknown = true,
                });
        }
    }
}

/// <summary>Sends requests to other nodes over connections that are kept open.</summary>
internal sealed class HttpPeerTransport(TimeProvider timeProvider) : IPeerTransport, IDisposable
{
    private const int MaxConnections = 256;
    private static readonly MediaTypeHeaderValue Json = new(RequestBody.Json);

    private readonly HttpMessageInvoker _http = new(new SocketsHttpHandler
    {
        ActivityHeadersPropagator = null, // The command has the trace of its caller.
        AllowAutoRedirect = false,
        ConnectTimeout = TimeSpan.FromSeconds(1),
        MaxConnectionsPerServer = MaxConnections,
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        UseCookies = false,
        UseProxy = false,
    });

    public async Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout)
    {
        using var deadline = new CancellationTokenSource(timeout, timeProvider);
        using var message = new HttpRequestMessage(HttpMethod.Post, new Uri(peer.Address, PeerEndpoint.PathOf(request)))
        {
            Content = new ByteArrayContent(Encoding.UTF8.GetBytes(request.Body)) { Headers = { ContentType = Json } },
        };
        message.Headers.Add(PeerEndpoint.KeyHeader, peer.Key);
        try
        {
            using var response = await _http.SendAsync(message, deadline.Token);
            return response.StatusCode switch
            {
                HttpStatusCode.OK => new(PeerOutcome.Answered, await response.Content.ReadAsStringAsync(deadline.Token)),
                HttpStatusCode.MisdirectedRequest => new(PeerOutcome.NotOwner, Owner: OwnerIn(response)),
                HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge or HttpStatusCode.TooManyRequests =>
                    new(PeerOutcome.NotOwner),
                >= HttpStatusCode.InternalServerError => new(PeerOutcome.Unknown),
                _ => new(PeerOutcome.Unreachable),
            };
        }
        catch (HttpRequestException e) when (e.HttpRequestError is HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError
            or HttpRequestError.SecureConnectionError)
        {
            return new(PeerOutcome.Unreachable);
        }
        catch (SocketException)
        {
            // Of a connection that is reset as soon as it is made: the handler leaves it as it is.
            return new(PeerOutcome.Unreachable);
        }
        catch (Exception e) when (e is HttpRequestException or IOException or OperationCanceledException)
        {
            return new(PeerOutcome.Unknown);
        }
    }

    public void Dispose() => _http.Dispose();

    private static Guid? OwnerIn(HttpResponseMessage response) =>
        response.Headers.TryGetValues(PeerEndpoint.OwnerHeader, out var values) && Guid.TryParse(values.First(), out var owner)
            ? owner
            : null;
}
