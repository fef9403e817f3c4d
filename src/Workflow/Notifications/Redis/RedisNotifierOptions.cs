using StackExchange.Redis;

namespace Workflow.Notifications.Redis;

/// <summary>Settings of notifications over Redis. Not a record: it would print the password.</summary>
public sealed class RedisNotifierOptions
{
    /// <summary>What a connection string looks like, for messages.</summary>
    public const string Example = "127.0.0.1:6379,password=...,ssl=false";

    private static readonly TimeSpan LongestConnect = TimeSpan.FromSeconds(2);

    /// <summary>
    /// StackExchange.Redis connection string. Retries and reconnection are the driver's own and are overridden.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>
    /// First part of the channel's name. Default <c>workflow</c>. Clusters that share a channel only wake each other.
    /// </summary>
    public string ChannelPrefix { get; init; } = "workflow";

    /// <summary>
    /// Last part of the channel's name, the same in all nodes of a cluster: the store's schema. Default
    /// <c>workflow</c>.
    /// </summary>
    public string Cluster { get; init; } = "workflow";

    /// <summary>
    /// How long a notification may take before it counts as lost. Default 1 s; others of its lane wait for it
    /// meanwhile.
    /// </summary>
    public TimeSpan PublishTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The longest pause between two attempts to connect; the first is 0.1 s, each next twice as long. Default 1 s.
    /// </summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromSeconds(1);

    internal string Channel => $"{ChannelPrefix}:{Cluster}:wake";

    /// <summary>Checks a connection string without connecting.</summary>
    /// <returns>What is wrong with it, without repeating any of it; null when it can be read.</returns>
    public static string? FindConnectionProblem(string? connectionString)
    {
        if (string.IsNullOrWhiteSpace(connectionString))
        {
            return $"is missing; it looks like '{Example}'";
        }

        try
        {
            return ConfigurationOptions.Parse(connectionString).EndPoints.Count > 0
                ? null
                : $"names no server; it looks like '{Example}'";
        }
        catch (Exception e) when (e is ArgumentException or FormatException or OverflowException)
        {
            // Neither the text nor the parser's message is quoted: both may hold the password.
            return $"is not a StackExchange.Redis connection string; it looks like '{Example}'";
        }
    }

    internal ConfigurationOptions ToConfiguration()
    {
        if (FindConnectionProblem(ConnectionString) is { } reason)
        {
            throw new ArgumentException($"The Redis connection string {reason}.", nameof(ConnectionString));
        }

        var configuration = ConfigurationOptions.Parse(ConnectionString);
        configuration.AbortOnConnectFail = true;
        configuration.ConnectRetry = 1;
        configuration.ConnectTimeout = Math.Min(configuration.ConnectTimeout, (int)LongestConnect.TotalMilliseconds);

        // The driver's own timeout of a command, 1 s or 5 s with its version, would end a publish that may take longer.
        configuration.SyncTimeout = Math.Max(configuration.SyncTimeout, (int)PublishTimeout.TotalMilliseconds);
        configuration.ClientName ??= "workflow-wake";
        return configuration;
    }
}
