using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Http;

/// <summary>Sends requests over one HttpClient handler for all workers.</summary>
internal sealed class HttpClientSender : HttpSender
{
    private readonly HttpSenderOptions _options;
    private readonly Uri _baseAddress;
    private readonly HttpMessageInvoker _http;
    private readonly TimeLimits _limits;
    private volatile bool _isDisposed;

    // A scenario sends the same request repeatedly: its address is parsed once.
    private volatile Tuple<PreparedRequest, Uri>? _last;

    internal HttpClientSender(Uri baseAddress, HttpSenderOptions options)
    {
        (_options, _baseAddress) = (options, baseAddress);
        _limits = new(options);
        var handler = Handler(options);
        handler.PlaintextStreamFilter = (context, _) =>
            ValueTask.FromResult<Stream>(new CountedStream(context.PlaintextStream));

        // HttpClient would only add a timeout that ends with the head, and another cancellation for each request.
        _http = new HttpMessageInvoker(handler);
    }

    public override string Name => "httpclient";

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<HttpReply> SendAsync(
        int worker, PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (cancellationToken.IsCancellationRequested)
        {
            return HttpReply.Of(HttpFault.Cancelled, "the request was cancelled before it was sent");
        }

        using var message = Message(request, body);
        using var limit = _limits.Begin(cancellationToken);
        CountedStream.Count(limit.Exchange);
        try
        {
            using var response = await _http.SendAsync(message, limit.Token).ConfigureAwait(false);
            var (length, kept) = await ReadAsync(request, response.Content, limit.Token).ConfigureAwait(false);
            return length > _options.MaxBodyBytes
                ? HttpReply.Of(HttpFault.BodyTooLarge, $"the body is longer than MaxBodyBytes, {_options.MaxBodyBytes}")
                : HttpReply.Of(
                    (int)response.StatusCode, length, limit.Exchange.Bytes, default, kept, wasResent: false,
                    last: null);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return HttpReply.Of(HttpFault.Cancelled, "the request was cancelled");
        }
        catch (OperationCanceledException) when (_isDisposed)
        {
            return HttpReply.Of(HttpFault.Cancelled, "the sender was closed");
        }
        catch (OperationCanceledException)
        {
            return HttpReply.Of(HttpFault.Timeout, $"no complete response within {_options.Timeout}");
        }
        catch (SocketException exception)
        {
            // A connection that is reset as soon as it is open: HttpClient does not wrap this exception.
            return HttpReply.Of(HttpFault.ConnectFailed, exception.Message);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException)
        {
            var error = (exception as HttpRequestException)?.HttpRequestError
                ?? (exception as HttpIOException)?.HttpRequestError;
            return HttpReply.Of(FaultOf(error), exception.Message);
        }
    }

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _limits.Dispose();
        _http.Dispose();
    }

    /// <summary>The default handler without features that would send another request than the given one.</summary>
    internal static SocketsHttpHandler Handler(HttpSenderOptions options) => new()
    {
        AllowAutoRedirect = false,
        UseCookies = false,
        UseProxy = false,
        MaxResponseHeadersLength = Math.Max(1, options.MaxHeadBytes >> 10),
        SslOptions = new() { RemoteCertificateValidationCallback = options.CertificateValidation },
    };

    private HttpRequestMessage Message(PreparedRequest request, ReadOnlyMemory<byte> body)
    {
        var last = _last;
        if (last is null || last.Item1 != request)
        {
            _last = last = Tuple.Create(request, new Uri(_baseAddress, request.Target));
        }

        var message = new HttpRequestMessage(HttpMethod.Parse(request.Method), last.Item2);
        if (request.ContentType is not null)
        {
            message.Content = new ReadOnlyMemoryContent(body);
            message.Content.Headers.TryAddWithoutValidation("Content-Type", request.ContentType);
        }

        foreach (var (name, value) in request.Headers)
        {
            if (!message.Headers.TryAddWithoutValidation(name, value))
            {
                (message.Content ??= new ByteArrayContent([])).Headers.TryAddWithoutValidation(name, value);
            }
        }

        return message;
    }

    /// <summary>Reads a body: its length, up to one byte more than allowed, and its bytes if they are kept.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<(long Length, ReadOnlyMemory<byte> Kept)> ReadAsync(
        PreparedRequest request, HttpContent content, CancellationToken cancellationToken)
    {
        using var stream = await content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        using var kept = request.IsBodyKept ? new MemoryStream() : null;
        var buffer = System.Buffers.ArrayPool<byte>.Shared.Rent(8 << 10);
        try
        {
            var length = 0L;
            int read;
            while (length <= _options.MaxBodyBytes
                && (read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
            {
                length += read;
                kept?.Write(buffer, 0, read);
            }

            return (length, kept?.ToArray());
        }
        finally
        {
            System.Buffers.ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static HttpFault FaultOf(HttpRequestError? error) => error switch
    {
        HttpRequestError.NameResolutionError or HttpRequestError.ConnectionError => HttpFault.ConnectFailed,
        HttpRequestError.SecureConnectionError => HttpFault.TlsFailed,
        HttpRequestError.InvalidResponse => HttpFault.MalformedHead,
        HttpRequestError.ConfigurationLimitExceeded => HttpFault.HeadTooLarge,
        HttpRequestError.ResponseEnded => HttpFault.Truncated,
        _ => HttpFault.ConnectionClosed,
    };
}
