namespace LoadTesting.Core.Http;

/// <summary>
/// Sends a scenario's requests to one server. Each worker (a copy of the scenario) has its own connection and one
/// request at a time. Use one sender per scenario: copies of different scenarios have the same numbers. Safe for
/// concurrent use by different workers.
/// </summary>
public abstract class HttpSender : IDisposable
{
    /// <summary>The name in results, such as "lean".</summary>
    public abstract string Name { get; }

    /// <summary>Number of connections opened so far; null if not counted.</summary>
    public virtual long? Connections => null;

    /// <summary>Number of requests sent a second time; see <see cref="HttpReply.WasResent"/>.</summary>
    public virtual long Resent => 0;

    /// <summary>
    /// The longest time for which an iteration kept a thread from seeing other responses; null unless
    /// <see cref="HttpSenderOptions.ContinuesInline"/>.
    /// </summary>
    public virtual TimeSpan? LongestHold => null;

    /// <summary>The lean sender: plain sockets and reused buffers, no allocation per request.</summary>
    /// <param name="baseAddress">Scheme, host and port, such as <c>http://127.0.0.1:5080</c>.</param>
    /// <param name="options">Limits; the defaults when null.</param>
    public static HttpSender Lean(Uri baseAddress, HttpSenderOptions? options = null) =>
        new LeanHttpSender(Checked(baseAddress), Checked(options));

    /// <summary>A sender over one HttpClient handler for all workers, with the cost of a usual client.</summary>
    /// <inheritdoc cref="Lean"/>
    public static HttpSender OverHttpClient(Uri baseAddress, HttpSenderOptions? options = null) =>
        new HttpClientSender(Checked(baseAddress), Checked(options));

    /// <summary>Sends a request of the copy that runs this iteration. Cancelled when the run is cut.</summary>
    /// <inheritdoc cref="SendAsync(int, PreparedRequest, ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask<HttpReply> SendAsync(
        IScenarioContext context, PreparedRequest request, ReadOnlyMemory<byte>? body = null)
    {
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(request);
        return SendAsync(
            context.ScenarioInfo.InstanceNumber, request, body ?? request.Body, context.ScenarioCancellationToken);
    }

    /// <summary>Sends one request and reads the whole response. Failures become a reply with a fault.</summary>
    /// <param name="worker">Number of the worker, from 0. Each number has its own connection.</param>
    /// <param name="request">The request.</param>
    /// <param name="body">Its body; must not change until the reply has arrived.</param>
    /// <param name="cancellationToken">Cancels the request within 50 ms, with
    /// <see cref="HttpFault.Cancelled"/>.</param>
    /// <exception cref="InvalidOperationException">This worker has a request in progress.</exception>
    public abstract ValueTask<HttpReply> SendAsync(
        int worker, PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);

    /// <summary>Closes all connections. Requests in progress end with a fault.</summary>
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
                $"'{address}' is not the address of a server: scheme http or https, host and port, "
                    + "and the path with each request.",
                nameof(address));
    }

    private static HttpSenderOptions Checked(HttpSenderOptions? options)
    {
        options ??= new HttpSenderOptions();
        options.Validate();
        return options;
    }
}
