using Foundation;

namespace PerformanceTesting.Backends.Redis;

/// <summary>
/// Counts what a Redis server does between two moments: INFO (commandstats, errorstats, stats, cpu, persistence), the
/// histograms of LATENCY HISTOGRAM and the spikes of LATENCY LATEST. It counts the whole server, and resets nothing, as
/// others may watch too.
/// </summary>
public sealed class RedisCollector : ICollector
{
    private readonly RedisSession _session;
    private readonly RedisCounters _before;

    private RedisCollector(RedisSession session, RedisCounters before)
    {
        _session = session;
        _before = before;
    }

    /// <summary>
    /// Connects and takes the first snapshot; the connection is kept, so that its making is not counted.
    /// </summary>
    /// <exception cref="StackExchange.Redis.RedisException">The server cannot be reached.</exception>
    public static async Task<RedisCollector> StartAsync(string connectionString, CancellationToken cancellationToken) =>
        await (await RedisSession.OpenAsync(connectionString, cancellationToken))
            .OrDisposeAsync(
                async session =>
                    new RedisCollector(session, await RedisCounters.ReadAsync(session, cancellationToken)));

    /// <summary>Takes the second snapshot.</summary>
    /// <returns>
    /// Differences named <c>redis.…</c>, and what to keep in mind when reading them. Of a server that went away there
    /// are only notes.
    /// </returns>
    public async Task<CollectedCounters> StopAsync(CancellationToken cancellationToken)
    {
        RedisCounters after;
        try
        {
            after = await RedisCounters.ReadAsync(_session, cancellationToken);
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            return CollectedCounters.Nothing($"Null: redis: the server cannot be asked any more: {exception.Message}");
        }

        if (after.RunId != _before.RunId)
        {
            return CollectedCounters.Nothing(
                "Null: redis: the server was restarted while it was watched, and its counters were reset.");
        }

        var notes = after.Notes.ToList();
        var raw = new Dictionary<string, double>(StringComparer.Ordinal);
        foreach (var (name, value) in after.Values)
        {
            var grown = value - _before.Values.GetValueOrDefault(name);
            if (grown > 0 || (grown == 0 && !name.StartsWith("redis.commandstats", StringComparison.Ordinal)))
            {
                raw[name] = grown;
            }
            else if (grown < 0)
            {
                notes.Add($"Null: {name}: it was reset while it was watched.");
            }
        }

        AddPercentiles(raw, after);
        notes.AddRange(
            after.Spikes.Where(spike => !_before.Spikes.Contains(spike)).Select(spike => $"redis: {spike}."));
        notes.Add("redis: counted for the whole server, the first reading of the collector included (INFO, LATENCY).");
        return new CollectedCounters(
            raw, [], Statements: null, notes)
                { PerOperation = [("redisCommands", ["redis.stats.total_commands_processed"])] };
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    /// <summary>
    /// Upper bounds of the buckets, which are powers of two of a microsecond: the true value is up to half of it lower.
    /// </summary>
    private void AddPercentiles(Dictionary<string, double> raw, RedisCounters after)
    {
        foreach (var (command, buckets) in after.Histograms)
        {
            var before = _before.Histograms.GetValueOrDefault(command) ?? new SortedDictionary<long, long>();
            var grown = buckets.Select(
                bucket => (Upper: bucket.Key, Count: bucket.Value - CountUpTo(before, bucket.Key))).ToList();
            var calls = grown.Count == 0 ? 0 : grown[^1].Count;
            foreach (var percentile in calls > 0 ? new[] { 50, 99 } : [])
            {
                raw[string.Create(
                    CultureInfo.InvariantCulture, $"redis.latency.{command}.p{percentile}UpperMicroseconds")] =
                    grown.First(bucket => bucket.Count * 100 >= calls * percentile).Upper;
            }
        }
    }

    /// <summary>Counts are cumulative, and a bucket is listed only where it differs from the one before.</summary>
    private static long CountUpTo(SortedDictionary<long, long> buckets, long upper) =>
        buckets.Where(bucket => bucket.Key <= upper).Select(bucket => bucket.Value).LastOrDefault();
}
