using System.Net;
using StackExchange.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>An administrative connection to a Redis server.</summary>
public sealed class RedisSession : IAsyncDisposable
{
    /// <summary>INFO and LATENCY have what is read here from version 5 on, and pub/sub has not changed since.</summary>
    public const int OldestVersion = 5;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(5);
    private readonly ConnectionMultiplexer _multiplexer;

    private RedisSession(ConnectionMultiplexer multiplexer) => _multiplexer = multiplexer;

    /// <exception cref="RedisException">Nothing answers, or not to this password.</exception>
    /// <exception cref="TimeoutException">Nothing answers within five seconds.</exception>
    public static async Task<RedisSession> OpenAsync(string connectionString, CancellationToken cancellationToken)
    {
        var configuration = ConfigurationOptions.Parse(connectionString);
        configuration.AllowAdmin = true;
        configuration.AbortOnConnectFail = true;
        configuration.ConnectRetry = 1;
        configuration.ConnectTimeout = (int)Limit.TotalMilliseconds;
        // A server that is none answers with an error, which would be counted.
        configuration.CommandMap = CommandMap.Create(["CLUSTER"], available: false);
        configuration.ClientName = "workflow-collector";
        return new(
            await Task.Run(
                () => ConnectionMultiplexer.ConnectAsync(configuration), cancellationToken)
                .WaitAsync(Limit * 2, cancellationToken));
    }

    /// <summary>Whether the server, not this code, is the reason.</summary>
    public static bool IsRefusal(Exception exception) => exception is RedisException or TimeoutException;

    /// <param name="version">As INFO has it, e.g. <c>7.0.15</c>.</param>
    public static bool Serves(string version) =>
        int.TryParse(version.Split('.')[0], CultureInfo.InvariantCulture, out var major) && major >= OldestVersion;

    /// <summary>Where the connection string points, without its password.</summary>
    public static string Describe(ConfigurationOptions configuration) =>
        string.Join(", ", configuration.EndPoints.Select(
        endPoint => endPoint is DnsEndPoint name
            ? $"host={name.Host}, port={name.Port}" : endPoint is IPEndPoint ip ? $"host={ip.Address}, port={ip.Port}"
            : $"{endPoint}"));

    /// <summary>A section of INFO, name to value.</summary>
    public async Task<IReadOnlyDictionary<string, string>> InfoAsync(
        string section, CancellationToken cancellationToken)
    {
        var text = (string?)await ExecuteAsync(cancellationToken, "INFO", section) ?? "";
        return text.Split('\n', StringSplitOptions.TrimEntries)
            .Where(line => line.Length > 0 && line[0] != '#' && line.Contains(':', StringComparison.Ordinal))
            .Select(line => line.Split(':', 2))
            .ToDictionary(pair => pair[0], pair => pair[1], StringComparer.Ordinal);
    }

    /// <summary>Runs a command that needs no key.</summary>
    /// <exception cref="RedisException">The server refuses or the connection fails.</exception>
    /// <exception cref="TimeoutException">It does not answer within five seconds.</exception>
    public Task<RedisResult> ExecuteAsync(
        CancellationToken cancellationToken, string command, params string[] arguments) =>
        _multiplexer.GetDatabase().ExecuteAsync(command, [.. arguments.Cast<object>()])
            .WaitAsync(Limit, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _multiplexer.CloseAsync(allowCommandsToComplete: false);
        _multiplexer.Dispose();
    }
}
