namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// Serves the figures of running loads as Prometheus text, <c>GET /metrics</c> on 127.0.0.1, and the services under
/// test as <c>GET /targets</c> for Prometheus' HTTP service discovery. A scrape costs the load a few work items of the
/// pool.
/// </summary>
public sealed class MetricsEndpoint : IAsyncDisposable
{
    private const string MetricsPath = "/metrics";
    private const string TargetsPath = "/targets";

    private readonly LoadMetrics _metrics;
    private readonly Func<IReadOnlyList<Uri>>? _services;
    private readonly HttpListener _listener;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _serving;

    private MetricsEndpoint(LoadMetrics metrics, Func<IReadOnlyList<Uri>>? services, HttpListener listener, Uri address)
    {
        (_metrics, _services, _listener, Address) = (metrics, services, listener, address);
        _serving = Task.Run(ServeAsync);
    }

    /// <summary>Where the page is.</summary>
    public Uri Address { get; }

    /// <summary>Starts serving.</summary>
    /// <param name="metrics">What is served.</param>
    /// <param name="port">From 1 to 65535.</param>
    /// <param name="services">Services under test that serve <c>/metrics</c>; none if omitted.</param>
    /// <exception cref="ArgumentOutOfRangeException">The port is out of range.</exception>
    /// <exception cref="InvalidOperationException">The port is not available; the message says why.</exception>
    public static MetricsEndpoint Start(LoadMetrics metrics, int port, Func<IReadOnlyList<Uri>>? services = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(port, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, IPEndPoint.MaxPort);
        var root = Invariant.Text($"http://127.0.0.1:{port}/");
        var listener = new HttpListener { Prefixes = { root }, IgnoreWriteExceptions = true };
        try
        {
            listener.Start();
        }
        catch (Exception exception) when (exception is HttpListenerException or SocketException)
        {
            throw new InvalidOperationException(
                $"Metrics cannot be served at {root}metrics: {exception.Message}. "
                    + "If another process has the port, choose another port.",
                exception);
        }

        return new MetricsEndpoint(metrics, services, listener, new Uri($"{root}metrics"));
    }

    /// <summary>
    /// The page: Prometheus text format, version 0.0.4, with every figure, also those that have no value now.
    /// </summary>
    public static string PageOf(LoadMetrics metrics)
    {
        var page = new StringBuilder();
        foreach (var metric in LoadMetrics.All)
        {
            page.Append("# HELP ").Append(metric.Metric).Append(' ').Append(metric.Help).Append('\n')
                .Append("# TYPE ").Append(metric.Metric).Append(metric.IsCounter ? " counter\n" : " gauge\n");
            foreach (var value in metrics.Read(metric))
            {
                page.Append(metric.Metric);
                AppendLabels(page, value.Tags);
                page.Append(' ').Append(value.Value.ToString(CultureInfo.InvariantCulture)).Append('\n');
            }
        }

        return page.ToString();
    }

    /// <summary>Ends serving.</summary>
    public async ValueTask DisposeAsync()
    {
        // Stopping the listener does not end a wait that begins at the same time.
        await _stop.CancelAsync().ConfigureAwait(false);
        _listener.Stop();
        await _serving.ConfigureAwait(false);
        _listener.Close();
        _stop.Dispose();
    }

    private static string TargetsOf(IEnumerable<Uri> services) =>
        JsonSerializer.Serialize(services.Select(service => new { targets = new[] { service.Authority } }));

    private static void AppendLabels(StringBuilder page, ReadOnlySpan<KeyValuePair<string, object?>> labels)
    {
        var separator = '{';
        foreach (var (name, value) in labels)
        {
            page.Append(separator).Append(name.Replace('.', '_')).Append("=\"");
            separator = ',';
            foreach (var character in $"{value}")
            {
                page.Append(
                    character switch { '\\' => @"\\", '"' => "\\\"", '\n' => "\\n", _ => character.ToString() });
            }

            page.Append('"');
        }

        page.Append(labels.IsEmpty ? "" : "}");
    }

    private async Task ServeAsync()
    {
        while (true)
        {
            HttpListenerContext context;
            try
            {
                context = await _listener.GetContextAsync().WaitAsync(_stop.Token).ConfigureAwait(false);
            }
            catch (Exception) when (_stop.IsCancellationRequested)
            {
                return;
            }

            await AnswerAsync(context.Request, context.Response).ConfigureAwait(false);
        }
    }

    private async Task AnswerAsync(HttpListenerRequest request, HttpListenerResponse response)
    {
        try
        {
            var (status, type, text) = (request.HttpMethod, request.Url?.AbsolutePath) switch
            {
                ("GET", MetricsPath) =>
                    (HttpStatusCode.OK, "text/plain; version=0.0.4; charset=utf-8", PageOf(_metrics)),
                ("GET", TargetsPath) => (HttpStatusCode.OK, "application/json", TargetsOf(_services?.Invoke() ?? [])),
                _ => (HttpStatusCode.NotFound,
                    "text/plain", $"There is nothing here but GET {MetricsPath} and GET {TargetsPath}.\n"),
            };
            var body = Encoding.UTF8.GetBytes(text);
            (response.StatusCode, response.ContentType, response.ContentLength64) = ((int)status, type, body.Length);
            await response.OutputStream.WriteAsync(body).ConfigureAwait(false);
            response.Close();
        }
        catch (Exception exception) when (exception is HttpListenerException or IOException or ObjectDisposedException)
        {
            response.Abort(); // The client has disconnected, or the endpoint is stopping.
        }
    }
}
