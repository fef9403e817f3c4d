using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Workflow.Contracts;
using Workflow.Contracts.Cluster;

namespace Workflow.Client;

/// <summary>
/// Sends each request to the node that has the lane of its key or id. The owners are read when they are first needed,
/// and again when a node answers that another one has the lane, or cannot be reached. A request for which no owner is
/// known goes to the base address, and one that its owner has not taken to another node.
/// </summary>
internal sealed class OwnerRouting(Uri baseAddress, string? key, HttpMessageHandler connections)
    : DelegatingHandler(connections)
{
    /// <summary>Owners that could not be read are asked for again after this time.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly string _root = baseAddress.AbsolutePath.TrimEnd('/');
    private readonly Lock _gate = new();
    private Task<ClusterInfo?>? _owners;
    private long _readTicks;

    /// <summary>The addresses of the owners that were last read.</summary>
    private volatile IReadOnlyList<Uri> _nodes = [];

    /// <summary>Whether the last attempt to read the owners failed.</summary>
    private bool _isUnknown;

    /// <summary>How long one node may take to name the owners: it may hang. Default 5 s.</summary>
    public TimeSpan ReadTimeout { get; init; } = TimeSpan.FromSeconds(5);

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (await PartitionOfAsync(request, cancellationToken).ConfigureAwait(false) is not { } partition)
        {
            return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }

        var former = request.RequestUri!;
        var owner = await OwnerOfAsync(partition, cancellationToken).ConfigureAwait(false);
        request.RequestUri = owner is null ? former : new(owner, former.PathAndQuery[_root.Length..]);
        request.Headers.Add(ContractsHttp.PartitionHeader, partition.ToString(CultureInfo.InvariantCulture));
        try
        {
            var response = await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
            if (response.Headers.TryGetValues(ContractsHttp.OwnerHeader, out var named) && named.Any(n => n.Length > 0))
            {
                // Without an address there is nothing new to read yet.
                Forget();
            }

            return response;
        }
        catch (Exception e)
        {
            // A cancelled request counts too: its deadline may have ended because the node hangs.
            if (owner is not null || Stopwatch.GetElapsedTime(Volatile.Read(ref _readTicks)) >= Pause)
            {
                Forget();
            }

            if (!IsSafeToRepeat(request, e, cancellationToken))
            {
                throw;
            }
        }

        request.RequestUri = AddressInsteadOf(owner ?? baseAddress, former);
        return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Whether nothing was sent, or what was sent has one effect however often it is sent.</summary>
    private static bool IsSafeToRepeat(
        HttpRequestMessage request, Exception failure, CancellationToken cancellationToken) => failure switch
    {
        HttpRequestException
        {
            HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError
                or HttpRequestError.SecureConnectionError,
        } => true,
        HttpRequestException => request.Method == HttpMethod.Get
            || request.Headers.Contains(ContractsHttp.IdempotencyKeyHeader),

        // Of a connection that is reset as soon as it is made.
        SocketException => true,

        // Of a connection that was not made in time.
        OperationCanceledException { InnerException: TimeoutException } => !cancellationToken.IsCancellationRequested,
        _ => false,
    };

    /// <summary>
    /// Where a request goes that its owner has not taken: to the base address, or to another node if the owner has that
    /// address.
    /// </summary>
    private Uri AddressInsteadOf(Uri owner, Uri former)
    {
        var other = former.Authority == owner.Authority
            ? _nodes.FirstOrDefault(node => node.Authority != owner.Authority)
            : null;
        return other is null ? former : new(other, former.PathAndQuery[_root.Length..]);
    }

    private async Task<short?> PartitionOfAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // The first part is empty: the path begins with a slash.
        var path = request.RequestUri!.AbsolutePath[_root.Length..].Split('/');
        if (path is [_, "instances" or "tasks", var named, ..])
        {
            return Guid.TryParse(named, out var id) ? Partitions.OfId(id) : null;
        }

        if (request.Method != HttpMethod.Post || path is not [_, "instances" or "signals"])
        {
            return null;
        }

        // A start without a correlation key may run anywhere, unless it is repeated.
        var correlation = await CorrelationKeyOfAsync(request.Content!, cancellationToken).ConfigureAwait(false);
        var repeated = path[1] == "instances"
            && request.Headers.TryGetValues(ContractsHttp.IdempotencyKeyHeader, out var keys)
                ? keys.First()
                : null;
        return (correlation ?? repeated) is { } found ? Partitions.OfKey(found) : null;
    }

    private static async Task<string?> CorrelationKeyOfAsync(HttpContent content, CancellationToken cancellationToken)
    {
        // The content may be sent twice: it is kept.
        await content.LoadIntoBufferAsync(cancellationToken).ConfigureAwait(false);
        var body = await content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
        return Find(body);

        static string? Find(ReadOnlySpan<byte> json)
        {
            var reader = new Utf8JsonReader(json);
            while (reader.Read())
            {
                if (reader.TokenType == JsonTokenType.PropertyName && reader.CurrentDepth == 1)
                {
                    var isKey = reader.ValueTextEquals("correlationKey"u8);
                    reader.Read();
                    if (isKey)
                    {
                        return reader.TokenType == JsonTokenType.String ? reader.GetString() : null;
                    }

                    reader.Skip();
                }
            }

            return null;
        }
    }

    private async Task<Uri?> OwnerOfAsync(short partition, CancellationToken cancellationToken)
    {
        Task<ClusterInfo?> reading;
        lock (_gate)
        {
            if (_owners is null || (_isUnknown && Stopwatch.GetElapsedTime(_readTicks) >= Pause))
            {
                _isUnknown = false;
                (_owners, _readTicks) = (ReadAsync(), Stopwatch.GetTimestamp());
            }

            reading = _owners;
        }

        var cluster = await reading.WaitAsync(cancellationToken).ConfigureAwait(false);
        return cluster?.Lanes is { Count: > 0 } lanes ? lanes[partition % lanes.Count].Address : null;
    }

    private void Forget()
    {
        lock (_gate)
        {
            _owners = _owners is { IsCompleted: true } ? null : _owners;
        }
    }

    /// <summary>Asks the base address, and the nodes that are known if that does not answer.</summary>
    /// <returns>Null if the owners cannot be read now.</returns>
    private async Task<ClusterInfo?> ReadAsync()
    {
        foreach (var node in _nodes.Prepend(baseAddress).Distinct())
        {
            if (await ReadAsync(node).ConfigureAwait(false) is { } cluster)
            {
                _nodes = [.. cluster.Lanes.Select(lane => lane.Address).OfType<Uri>().Distinct()];
                return cluster;
            }
        }

        lock (_gate)
        {
            _isUnknown = true;
        }

        return null;
    }

    private async Task<ClusterInfo?> ReadAsync(Uri node)
    {
        try
        {
            using var deadline = new CancellationTokenSource(ReadTimeout);
            var address = new Uri($"{node.AbsoluteUri.TrimEnd('/')}/cluster");
            using var request = new HttpRequestMessage(HttpMethod.Get, address);
            request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/json"));
            if (key is not null)
            {
                request.Headers.Add(ContractsHttp.KeyHeader, key);
            }

            using var response = await base.SendAsync(request, deadline.Token).ConfigureAwait(false);
            if (response.StatusCode == HttpStatusCode.OK)
            {
                return JsonBody.Read<ClusterInfo>(
                    await response.Content.ReadAsStringAsync(deadline.Token).ConfigureAwait(false));
            }
        }
        catch (Exception e) when (e is HttpRequestException or SocketException or IOException
            or OperationCanceledException or JsonException)
        {
            // That address serves nothing now; a request that goes there finds that out for itself.
        }

        return null;
    }
}
