using System.Diagnostics.Metrics;
using LoadTesting.Core.Analysis.Findings;

namespace PerformanceTesting.Backends;

/// <summary>
/// Watches the connection pools of this process by Npgsql's own instruments. Requests that wait are integrated over
/// time as they come and go; connections in use are looked at fifty times a second.
/// </summary>
public sealed class ConnectionPoolWatch : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);
    private readonly string? _database;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Pool> _pools = new(StringComparer.Ordinal);
    private readonly MeterListener _listener = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Task _watching;

    private ConnectionPoolWatch(string? database)
    {
        _database = database;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Npgsql")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<int>(Take);
        _listener.Start();
        _watching = Task.Run(WatchAsync, CancellationToken.None);
    }

    /// <summary>
    /// Begins to watch. No request for a connection may be waiting at this moment: it would be missed.
    /// </summary>
    /// <param name="database">Only pools of this database; null for all.</param>
    public static ConnectionPoolWatch Start(string? database = null) => new(database);

    /// <returns>The pool that requests waited for longest, or that was fullest; null when no pool was used.</returns>
    public async Task<ConnectionPoolUse?> StopAsync()
    {
        await DisposeAsync();
        var now = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            return _pools.Values.Where(pool => pool.Max > 0 && pool.Looks > 0)
                .Select(pool => pool.Use(now, Stopwatch.GetElapsedTime(_start, now)))
                .OrderByDescending(use => use.AverageWaiting)
                .ThenByDescending(use => use.AverageUsed / use.MaxConnections)
                .FirstOrDefault(use => use.AverageUsed > 0 || use.AverageWaiting > 0);
        }
    }

    /// <summary>Seconds that requests have waited for a connection until now, those of all pools together.</summary>
    public double WaitSeconds()
    {
        lock (_gate)
        {
            var now = Stopwatch.GetTimestamp();
            return _pools.Values.Sum(pool => pool.WaitSeconds(now));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _watching;
        _listener.Dispose();
    }

    private async Task WatchAsync()
    {
        using var timer = new PeriodicTimer(Interval);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                _listener.RecordObservableInstruments();
            }
        }
        catch (OperationCanceledException)
        {
            // The way it ends.
        }
    }

    private void Take(Instrument instrument, int value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (Tag(tags, "db.client.connection.pool.name") is not { } name
            || (_database is not null && !name.Contains(_database, StringComparison.Ordinal)))
        {
            return;
        }

        lock (_gate)
        {
            if (!_pools.TryGetValue(name, out var pool))
            {
                _pools[name] = pool = new Pool(_start);
            }

            switch (instrument.Name)
            {
                case "db.client.connection.max":
                    pool.Max = value;
                    break;
                case "db.client.connection.count" when Tag(tags, "db.client.connection.state") == "used":
                    pool.AddUsed(value);
                    break;
                case "db.client.connection.npgsql.pending_requests":
                    pool.AddWaiting(value, Stopwatch.GetTimestamp());
                    break;
                case "db.client.connection.npgsql.timeouts":
                    pool.Timeouts += value;
                    break;
            }
        }
    }

    private static string? Tag(ReadOnlySpan<KeyValuePair<string, object?>> tags, string name)
    {
        foreach (var tag in tags)
        {
            if (tag.Key == name)
            {
                return tag.Value as string;
            }
        }

        return null;
    }

    private sealed class Pool(long start)
    {
        private long _waiting;
        private long _since = start;
        private double _waitingTicks;
        private long _used;

        public int Max { get; set; }
        public long Timeouts { get; set; }
        public long Looks { get; private set; }

        public void AddUsed(int used)
        {
            _used += used;
            Looks++;
        }

        public void AddWaiting(int change, long now)
        {
            _waitingTicks += (double)_waiting * (now - _since);
            _waiting += change;
            _since = now;
        }

        public double WaitSeconds(long now)
        {
            AddWaiting(0, now);
            return _waitingTicks / Stopwatch.Frequency;
        }

        public ConnectionPoolUse Use(long now, TimeSpan span) =>
            new(Max, (double)_used / Looks, WaitSeconds(now) / span.TotalSeconds, Timeouts);
    }
}
