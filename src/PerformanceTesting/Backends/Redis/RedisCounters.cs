using StackExchange.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>Counters of a Redis server at one moment.</summary>
/// <param name="RunId">Changes with every start of the server.</param>
/// <param name="Values">Counters that only grow, named <c>redis.section.name</c>.</param>
/// <param name="Histograms">
/// By command: cumulative calls by their longest duration, microseconds; empty before version 7.
/// </param>
/// <param name="Spikes">What LATENCY LATEST remembers, in words.</param>
/// <param name="Notes">Why something is missing.</param>
internal sealed record RedisCounters(
    string RunId,
    IReadOnlyDictionary<string, double> Values,
    IReadOnlyDictionary<string, SortedDictionary<long, long>> Histograms,
    IReadOnlyList<string> Spikes,
    IReadOnlyList<string> Notes)
{
    private static readonly (string Section, string[] Names)[] Grown =
    [
        ("stats",
        [
            "total_connections_received", "total_commands_processed", "total_net_input_bytes", "total_net_output_bytes",
            "rejected_connections", "evicted_keys", "expired_keys", "total_error_replies",
        ]),
        ("cpu", ["used_cpu_sys", "used_cpu_user", "used_cpu_sys_main_thread", "used_cpu_user_main_thread"]),
        ("persistence", ["aof_base_size", "aof_current_size", "aof_delayed_fsync"]),
    ];

    public static async Task<RedisCounters> ReadAsync(RedisSession session, CancellationToken cancellationToken)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        foreach (var (section, names) in Grown)
        {
            var info = await session.InfoAsync(section, cancellationToken);
            foreach (var name in names)
            {
                Add(values, $"redis.{section}.{name}", info.GetValueOrDefault(name));
            }
        }

        foreach (var section in (string[])["commandstats", "errorstats"])
        {
            foreach (var (entry, fields) in await session.InfoAsync(section, cancellationToken))
            {
                foreach (var field in fields.Split(',').Select(field => field.Split('=', 2)))
                {
                    if (field[0] is "calls" or "usec" or "rejected_calls" or "failed_calls" or "count")
                    {
                        Add(values, $"redis.{section}.{entry[(entry.IndexOf('_', StringComparison.Ordinal) + 1)..]}.{field[0]}", field[^1]);
                    }
                }
            }
        }

        var notes = new List<string>();
        var histograms = await AskAsync(session, notes, Histogram, cancellationToken, "LATENCY", "HISTOGRAM");
        var spikes = await AskAsync(session, notes, Latest, cancellationToken, "LATENCY", "LATEST");
        var runId = (await session.InfoAsync("server", cancellationToken)).GetValueOrDefault("run_id") ?? "";
        return new RedisCounters(
            runId, values, histograms ?? new Dictionary<string, SortedDictionary<long, long>>(), spikes ?? [], notes);
    }

    private static void Add(Dictionary<string, double> values, string name, string? text)
    {
        if (double.TryParse(text, CultureInfo.InvariantCulture, out var value))
        {
            values[name] = value;
        }
    }

    private static async Task<T?> AskAsync<T>(
        RedisSession session,
        List<string> notes,
        Func<RedisResult, T> read,
        CancellationToken cancellationToken,
        string command,
        string subcommand)
        where T : class
    {
        try
        {
            return read(await session.ExecuteAsync(cancellationToken, command, subcommand));
        }
        catch (RedisServerException exception)
        {
            // HISTOGRAM is new in version 7; managed servers may refuse both.
            notes.Add($"Null: redis.latency: {command} {subcommand}: {exception.Message}");
            return null;
        }
    }

    /// <summary>command, [calls, n, histogram_usec, [upper, count, …]], …</summary>
    private static Dictionary<string, SortedDictionary<long, long>> Histogram(RedisResult result)
    {
        var all = new Dictionary<string, SortedDictionary<long, long>>(StringComparer.Ordinal);
        foreach (var pair in ((RedisResult[])result!).Chunk(2))
        {
            var parts = (RedisResult[])pair[1]!;
            var buckets = new SortedDictionary<long, long>();
            foreach (var bucket in ((RedisResult[])parts[3]!).Chunk(2))
            {
                buckets[(long)bucket[0]] = (long)bucket[1];
            }

            all[(string)pair[0]!] = buckets;
        }

        return all;
    }

    /// <summary>[event, time of the latest, its milliseconds, the longest milliseconds], …</summary>
    private static string[] Latest(RedisResult result) =>
    [
        .. ((RedisResult[])result!).Select(entry => (RedisResult[])entry!).Select(parts => string.Create(
            CultureInfo.InvariantCulture,
            $"LATENCY LATEST: {(string)parts[0]!} took {(long)parts[2]} ms "
                + $"at {DateTimeOffset.FromUnixTimeSeconds((long)parts[1]):HH:mm:ss}Z")),
    ];
}
