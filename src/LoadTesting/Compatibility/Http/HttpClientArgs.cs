using Serilog;

namespace LoadTesting.Http;

/// <summary>How a request is sent and its answer is read.</summary>
public sealed class HttpClientArgs
{
    public HttpClientArgs()
    {
    }

    /// <summary>As NBomber.Http 5.0 and earlier made them.</summary>
    public HttpClientArgs(HttpCompletionOption httpCompletion, CancellationToken cancellationToken) =>
        (HttpCompletion, CancellationToken) = (httpCompletion, cancellationToken);

    public HttpCompletionOption HttpCompletion { get; set; }
    public CancellationToken CancellationToken { get; set; }

    /// <summary>Null for <c>Http.GlobalJsonSerializerOptions</c>.</summary>
    public JsonSerializerOptions JsonSerializerOptions { get; set; }

    /// <summary>Logs requests and answers at the level Debug; null for none.</summary>
    public ILogger Logger { get; set; }

    /// <summary>Joins a request and its answer in the log; empty without a logger.</summary>
    public string TraceId { get; set; } = "";

    public static HttpClientArgs Create(
        CancellationToken cancellationToken,
        HttpCompletionOption httpCompletion = HttpCompletionOption.ResponseContentRead,
        JsonSerializerOptions jsonOptions = null, ILogger logger = null) => new()
        {
            HttpCompletion = httpCompletion,
            CancellationToken = cancellationToken,
            JsonSerializerOptions = jsonOptions,
            Logger = logger,
            TraceId = logger is null ? "" : Guid.NewGuid().ToString("N"),
        };

    public static HttpClientArgs Create(
        HttpCompletionOption httpCompletion = HttpCompletionOption.ResponseContentRead,
        JsonSerializerOptions jsonOptions = null,
        ILogger logger = null) => Create(CancellationToken.None, httpCompletion, jsonOptions, logger);
}
