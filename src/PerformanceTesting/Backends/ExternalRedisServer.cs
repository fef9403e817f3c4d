using StackExchange.Redis;
using Workflow.Notifications.Redis;

namespace PerformanceTesting.Backends;

/// <summary>A Redis server that already runs, named by a connection string. Nothing is stored there.</summary>
public sealed class ExternalRedisServer : RedisServer
{
    private ExternalRedisServer(string connectionString, string description)
    {
        ConnectionString = connectionString;
        Description = description;
    }

    public override ProvisionMode Provision => ProvisionMode.External;

    public override string Description { get; }

    public override string ConnectionString { get; }

    public override string LogTail => "The log of an external server is not in reach.";

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Connects once, so that a wrong connection string is found before any test needs it.</summary>
    /// <param name="connectionString">StackExchange.Redis connection string.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, ten seconds do.</param>
    /// <exception cref="BackendException">It cannot be parsed, nothing answers, or the server is too old; names server and variable, never the password.</exception>
    public static async Task<ExternalRedisServer> ConnectAsync(string connectionString, string variable, CancellationToken cancellationToken)
    {
        if (RedisNotifierOptions.WhyUnusable(connectionString) is { } reason)
        {
            throw new BackendException($"{variable} {reason}.");
        }

        var target = RedisSession.Describe(ConfigurationOptions.Parse(connectionString));
        string version;
        try
        {
            await using var session = await RedisSession.OpenAsync(connectionString, cancellationToken);
            version = (await session.InfoAsync("server", cancellationToken)).GetValueOrDefault("redis_version") ?? "unknown";
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            throw new BackendException(
                $"The server of {variable} ({target}) cannot be used: {exception.Message} Check host, port and password in {variable}, start that server, "
                + $"or unset {variable} to have one started natively.",
                exception);
        }

        return RedisSession.Serves(version)
            ? new ExternalRedisServer(connectionString, $"external server ({target}, Redis {version})")
            : throw new BackendException(
                $"The server of {variable} ({target}) is Redis {version}; {RedisSession.OldestVersion} is the oldest that serves. Name a newer one in {variable}, or unset it.");
    }
}
