namespace Workflow.Client;

/// <summary>How a client connects.</summary>
public sealed record WorkflowClientOptions
{
    /// <summary>Connections at most; each carries one request at a time (HTTP/1.1). Default 1,024: callers queue for more without being told.</summary>
    public int MaxConnections { get; init; } = 1024;

    /// <summary>For making a connection. Default 5 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>For a whole request, waiting for a connection included. Default 30 s.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>After which an unused connection is closed. Default 90 s, below the 130 s of the service, so that the client is the one that closes.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(90);

    internal SocketsHttpHandler CreateHandler() => new()
    {
        MaxConnectionsPerServer = MaxConnections,
        ConnectTimeout = ConnectTimeout,
        PooledConnectionIdleTimeout = IdleTimeout,
        PooledConnectionLifetime = Timeout.InfiniteTimeSpan,
        AllowAutoRedirect = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
    };
}
