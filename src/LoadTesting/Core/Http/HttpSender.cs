using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Http;

/// <summary>Limits of a sender.</summary>
public sealed record HttpSenderOptions
{
    /// <summary>From the call to the last byte of the response, connecting included. Default 30 s; kept to within 50 ms.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Status line and headers, with informational responses and trailers. Default 64 KiB.</summary>
    public int MaxHeadBytes { get; init; } = 64 << 10;

    /// <summary>Body, kept or not. Default 64 MiB.</summary>
    public int MaxBodyBytes { get; init; } = 64 << 20;

    /// <summary>
    /// Decides on the server's certificate; null, the default, asks the system. Return true to take any, where the test is not about it.
    /// </summary>
    public RemoteCertificateValidationCallback? CertificateValidation { get; init; }

    /// <summary>
    /// Lean sender over plain HTTP on Linux: the thread that sees a response also goes on with the iteration, up to its next wait, without
    /// a handover to the thread pool. Such bodies must neither block nor compute for long: all other workers of that thread wait meanwhile.
    /// <see cref="HttpSender.LongestHold"/> says how long. Default false: iterations go on on the thread pool.
    /// </summary>
    public bool ContinuesInline { get; init; }

    /// <summary>Clock and timer of <see cref="Timeout"/>.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal long TimeoutTicks => (long)(Timeout.TotalSeconds * TimeProvider.TimestampFrequency);

    /// <summary>How often the timer of a sender looks for requests that are late.</summary>
    internal TimeSpan CheckInterval =>
        TimeSpan.FromTicks(Math.Clamp(Timeout.Ticks / 10, TimeSpan.FromMilliseconds(5).Ticks, TimeSpan.FromMilliseconds(50).Ticks));

    /// <exception cref="ArgumentException">Limits are not positive; the message lists all of them.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromDays(1))
        {
            wrong.Add($"Timeout {Timeout} is not between 0 and one day");
        }

        if (MaxHeadBytes is < 64 or > 1 << 30)
        {
            wrong.Add($"MaxHeadBytes {MaxHeadBytes} is not between 64 and {1 << 30}");
        }

        if (MaxBodyBytes < 0)
        {
            wrong.Add($"MaxBodyBytes {MaxBodyBytes} is negative");
        }

        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The sender's options cannot be used: {string.Join("; ", wrong)}.");
        }
    }
}

/// <summary>
/// Sends a scenario's requests to one server. Each worker, a copy of the scenario, has a connection of its own and one request under way at
/// a time. A sender belongs to one scenario: the copies of another one have the same numbers. Safe for concurrent use by different workers.
/// </summary>
public abstract class HttpSender : IDisposable
{
    /// <summary>In results, such as "lean".</summary>
    public abstract string Name { get; }

    /// <summary>Connections that were opened so far; null where nobody counts.</summary>
    public virtual long? Connections => null;

    /// <summary>Requests that were sent a second time, see <see cref="HttpReply.WasResent"/>.</summary>
    public virtual long Resent => 0;

    /// <summary>
    /// The longest time for which an iteration kept a thread from seeing other responses; null unless
    /// <see cref="HttpSenderOptions.ContinuesInline"/>.
    /// </summary>
    public virtual TimeSpan? LongestHold => null;

    /// <summary>The lean sender: sockets, buffers that are used again, nothing allocated for a request.</summary>
    /// <param name="baseAddress">Scheme, host and port, such as <c>http://127.0.0.1:5080</c>.</param>
    /// <param name="options">Limits; the defaults when null.</param>
    public static HttpSender Lean(Uri baseAddress, HttpSenderOptions? options = null) =>
        new LeanHttpSender(Checked(baseAddress), Checked(options));

    /// <summary>The same over the handler of HttpClient, one for all workers: what most clients of the service cost.</summary>
    /// <inheritdoc cref="Lean"/>
    public static HttpSender OverHttpClient(Uri baseAddress, HttpSenderOptions? options = null) =>
        new HttpClientSender(Checked(baseAddress), Checked(options));

    /// <summary>Sends for the copy that runs this iteration, until the run is cut.</summary>
    /// <inheritdoc cref="SendAsync(int, PreparedRequest, ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask<HttpReply> SendAsync(IScenarioContext context, PreparedRequest request, ReadOnlyMemory<byte>? body = null)
    {
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(request);
        return SendAsync(context.ScenarioInfo.InstanceNumber, request, body ?? request.Body, context.ScenarioCancellationToken);
    }

    /// <summary>Sends one request and reads the whole response. Whatever goes wrong on the way is a reply with a fault.</summary>
    /// <param name="worker">Whose connection; from 0, and small: each has a connection.</param>
    /// <param name="request">What is sent.</param>
    /// <param name="body">Its body; must not change until the reply is there.</param>
    /// <param name="cancellationToken">Ends it, within 50 ms, with <see cref="HttpFault.Cancelled"/>.</param>
    /// <exception cref="InvalidOperationException">This worker has a request under way.</exception>
    public abstract ValueTask<HttpReply> SendAsync(
        int worker, PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);

    /// <summary>Closes all connections; requests under way end with a fault.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    protected abstract void Dispose(bool disposing);

    private static Uri Checked(Uri address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return address.IsAbsoluteUri && (address.Scheme == Uri.UriSchemeHttp || address.Scheme == Uri.UriSchemeHttps)
            && address is { PathAndQuery: "/", Fragment: "", UserInfo: "" }
            ? address
            : throw new ArgumentException(
                $"'{address}' is no address of a server: scheme http or https, host and port, and the path with each request.",
                nameof(address));
    }

    private static HttpSenderOptions Checked(HttpSenderOptions? options)
    {
        options ??= new HttpSenderOptions();
        options.Validate();
        return options;
    }
}

/// <summary>Requests over one handler of HttpClient for all workers.</summary>
internal sealed class HttpClientSender : HttpSender
{
    private readonly HttpSenderOptions _options;
    private readonly Uri _baseAddress;
    private readonly HttpMessageInvoker _http;
    private readonly TimeLimits _limits;
    private volatile bool _isDisposed;

    // A scenario sends the same request over and over: its address is not parsed for each.
    private volatile Tuple<PreparedRequest, Uri>? _last;

    internal HttpClientSender(Uri baseAddress, HttpSenderOptions options)
    {
        (_options, _baseAddress) = (options, baseAddress);
        _limits = new(options);
        var handler = Handler(options);
        handler.PlaintextStreamFilter = (context, _) => ValueTask.FromResult<Stream>(new CountedStream(context.PlaintextStream));

        // What HttpClient adds to its base class is a time-out that ends with the head, and one more cancellation for each request.
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
                    (int)response.StatusCode, length, limit.Exchange.Bytes, default, kept, wasResent: false, last: null);
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
            // Of a connection that is reset as soon as it is made: HttpClient leaves it as it is.
            return HttpReply.Of(HttpFault.ConnectFailed, exception.Message);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException)
        {
            var error = (exception as HttpRequestException)?.HttpRequestError ?? (exception as HttpIOException)?.HttpRequestError;
            return HttpReply.Of(FaultOf(error), exception.Message);
        }
    }

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _limits.Dispose();
        _http.Dispose();
    }

    /// <summary>HttpClient as it is, but for what would be another request than the one asked for.</summary>
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

    /// <summary>Its length, at least up to one byte more than allowed, and what it is where it is kept.</summary>
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
            while (length <= _options.MaxBodyBytes && (read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
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

/// <summary>
/// Ends requests after a time, or when the run is cut: one timer looks at all of them. What one needs for it is used again by the next, so
/// that a limit that holds allocates nothing and sets no timer.
/// </summary>
internal sealed class TimeLimits : IDisposable
{
    private readonly ConcurrentDictionary<Limit, bool> _all = new();
    private readonly ConcurrentQueue<Limit> _idle = new();
    private readonly long _timeout;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;

    internal TimeLimits(HttpSenderOptions options)
    {
        (_time, _timeout) = (options.TimeProvider, options.TimeoutTicks);
        _timer = _time.CreateTimer(_ => EndAfter(_time.GetTimestamp()), null, options.CheckInterval, options.CheckInterval);
    }

    /// <summary>The time begins.</summary>
    /// <param name="cancellationToken">Ends the request earlier.</param>
    internal Limit Begin(CancellationToken cancellationToken)
    {
        if (!_idle.TryDequeue(out var limit))
        {
            limit = new(this);
            _all[limit] = true;
        }

        limit.Begin(_time.GetTimestamp() + _timeout, cancellationToken);
        return limit;
    }

    /// <summary>Ends all requests that are under way.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        EndAfter(long.MaxValue);
    }

    private void EndAfter(long now)
    {
        foreach (var (limit, _) in _all)
        {
            limit.EndAfter(now);
        }
    }

    /// <summary>The limit of one request, until it is disposed.</summary>
    internal sealed class Limit(TimeLimits limits) : IDisposable
    {
        private const long None = 0;
        private const long Ended = -1;

        private readonly CancellationTokenSource _source = new();
        private CancellationToken _cut;
        private long _deadline;
        private long _last;

        internal CancellationToken Token => _source.Token;

        /// <summary>What the request takes on its connection.</summary>
        internal CountedStream.Exchange Exchange { get; } = new();

        /// <summary>No two requests of a limit have one deadline, so that none is ended for another.</summary>
        internal void Begin(long deadline, CancellationToken cut)
        {
            _cut = cut;
            Exchange.Bytes = default;
            _last = Math.Max(_last + 1, deadline);
            Volatile.Write(ref _deadline, _last);
        }

        internal void EndAfter(long now)
        {
            var deadline = Volatile.Read(ref _deadline);
            if (deadline > None && (now >= deadline || _cut.IsCancellationRequested)
                && Interlocked.CompareExchange(ref _deadline, Ended, deadline) == deadline)
            {
                _source.Cancel();
            }
        }

        /// <summary>One that was ended may be cancelled at this moment: it is left to the collector, and holds nothing else.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _deadline, None) > None && _source.TryReset())
            {
                limits._idle.Enqueue(this);
            }
            else
            {
                _ = limits._all.TryRemove(this, out _);
            }
        }
    }
}

/// <summary>
/// A connection of HttpClient that counts what each request takes on it. HttpClient writes a request in the flow of the call that sends it,
/// and a connection of HTTP/1.1 has one under way at a time: what is read is the response to what was written last.
/// </summary>
internal sealed class CountedStream(Stream inner) : Stream
{
    private static readonly AsyncLocal<Exchange?> s_sending = new();
    private Exchange? _exchange;

    public override bool CanRead => inner.CanRead;
    public override bool CanWrite => inner.CanWrite;
    public override bool CanSeek => false;
    public override long Length => throw new NotSupportedException();
    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    /// <summary>
    /// Counts, from here on, for the request that this flow sends. What the flow carries for that is made once, and used again as long as
    /// all else that it carries is the same.
    /// </summary>
    internal static void Count(Exchange exchange)
    {
        var outer = ExecutionContext.Capture();
        if (exchange.Inner is { } inner && ReferenceEquals(exchange.Outer, outer))
        {
            ExecutionContext.Restore(inner);
            return;
        }

        s_sending.Value = exchange;
        (exchange.Outer, exchange.Inner) = (outer, ExecutionContext.Capture());
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _exchange = s_sending.Value;
        _exchange?.Sent(buffer.Length);
        return inner.WriteAsync(buffer, cancellationToken);
    }

    // A receive may begin before its request is written; it ends after.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var count = await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        if (count > 0)
        {
            // Not so where an idle connection ends: its last request is over, and another may count there.
            _exchange?.Received(count);
        }

        return count;
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);
    public override void Flush() => inner.Flush();
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>A request and its response. One thread at a time writes or reads for it.</summary>
    internal sealed class Exchange
    {
        internal MovedBytes Bytes { get; set; }

        /// <summary>What the flow carried when it last began to count for this one, and what it carried then.</summary>
        internal ExecutionContext? Outer { get; set; }
        internal ExecutionContext? Inner { get; set; }

        internal void Sent(int count) => Bytes = Bytes with { Sent = Bytes.Sent + count };

        internal void Received(int count) => Bytes = Bytes with { Received = Bytes.Received + count };
    }
}
