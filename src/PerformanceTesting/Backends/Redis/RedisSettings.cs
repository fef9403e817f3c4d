using StackExchange.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>Asks a Redis server for its settings.</summary>
public static class RedisSettings
{
    private static readonly string[] Names =
    [
        "appendonly", "appendfsync", "save", "maxmemory", "maxmemory-policy", "io-threads", "latency-monitor-threshold",
        "latency-tracking",
        "auto-aof-rewrite-percentage",
    ];

    /// <summary>What the servers that are started here run with: every write forced to the append-only file.</summary>
    public static IReadOnlyDictionary<string, string> OfOwnServers { get; } = new Dictionary<string, string>
    {
        ["appendonly"] = "yes",
        ["appendfsync"] = "always",
        ["auto-aof-rewrite-percentage"] = "0",
        ["save"] = "",
        ["maxmemory-policy"] = "noeviction",
        ["latency-monitor-threshold"] = "5",
    };

    /// <summary>Judges settings that were read, name to value.</summary>
    public static SettingsReadBack Of(string version, IReadOnlyDictionary<string, string> settings) =>
        new(version, settings,
        [
            .. new[] { ("appendonly", "yes"), ("appendfsync", "always") }
                .Where(needed => settings.GetValueOrDefault(needed.Item1) != needed.Item2)
                .Select(needed => $"{needed.Item1}={settings.GetValueOrDefault(needed.Item1) ?? "unknown"}"),
        ]);

    /// <summary>Reads version and settings. A server that allows no CONFIG reports none.</summary>
    /// <exception cref="RedisException">The connection fails.</exception>
    public static async Task<SettingsReadBack> ReadAsync(RedisSession session, CancellationToken cancellationToken)
    {
        var server = await session.InfoAsync("server", cancellationToken);
        var values = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var name in Names)
        {
            try
            {
                var pair = (string[]?)await session.ExecuteAsync(cancellationToken, "CONFIG", "GET", name);
                if (pair is { Length: 2 })
                {
                    values[name] = pair[1];
                }
            }
            catch (RedisServerException)
            {
                break; // Managed servers have no CONFIG: what is not reported reads as unknown.
            }
        }

        return Of(server.GetValueOrDefault("redis_version") ?? "unknown", values);
    }
}
