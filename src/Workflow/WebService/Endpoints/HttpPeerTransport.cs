using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Workflow.Engine.Configuration;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Endpoints;

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
                HttpStatusCode.OK =>
                    new(PeerOutcome.Answered, await response.Content.ReadAsStringAsync(deadline.Token)),
                HttpStatusCode.MisdirectedRequest => new(PeerOutcome.NotOwner, Owner: OwnerIn(response)),
                HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge or HttpStatusCode.TooManyRequests =>
                    new(PeerOutcome.NotOwner),
                >= HttpStatusCode.InternalServerError => new(PeerOutcome.Unknown),
                _ => new(PeerOutcome.Unreachable),
            };
        }
        catch (HttpRequestException e) when (e.HttpRequestError is HttpRequestError.ConnectionError
            or HttpRequestError.NameResolutionError
            or HttpRequestError.SecureConnectionError)
        {
            return new(PeerOutcome.Unreachable);
        }
        catch (SocketException)
        {
            // Of a connection that is reset as soon as it is made: the handler leaves it as it is.
            return new(PeerOutcome.Unreachable);
        }
        catch (Exception e) when (e is HttpRequestException or IOException or OperationCanceledException
            or InvalidOperationException)
        {
            // The last is thrown where a connection breaks while the handler sets it up or reads from it
            // (ObjectDisposedException).
            return new(PeerOutcome.Unknown);
        }
    }

    public void Dispose() => _http.Dispose();

    private static Guid? OwnerIn(HttpResponseMessage response) =>
        response.Headers.TryGetValues(PeerEndpoint.OwnerHeader, out var values)
            && Guid.TryParse(values.First(), out var owner)
            ? owner
            : null;
}
