using LoadTesting.Core.Baselines;
using LoadTesting.Core.Findings;
using Npgsql;

namespace IntegrationTests.Shared.Backends.Collectors;

/// <summary>Looks ten times a second at what the active sessions of a database wait for, on a connection of its own.</summary>
internal sealed class WaitSampler
{
    /// <summary>Fewer moments, or fewer sessions seen in them, give no shares: one of ten is anything from 0 to 40 %.</summary>
    public const int MinimumSamples = 30;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    // ClientRead of an active session is a client that has sent half of its batch; it is told under the server's name.
    private const string Sql = """
        SELECT CASE WHEN query = '<insufficient privilege>' THEN 'hidden'
                    WHEN wait_event IS NULL THEN 'CPU' ELSE wait_event_type || ':' || wait_event END, count(*)
        FROM pg_stat_activity
        WHERE datname = $1 AND pid <> pg_backend_pid() AND (state = 'active' OR query = '<insufficient privilege>')
        GROUP BY 1
        """;

    private readonly NpgsqlConnection _connection;
    private readonly string _database;
    private readonly CollectorCost _cost;
    private readonly CancellationTokenSource _stop = new();
    private readonly Dictionary<string, (long Sessions, long Moments)> _seen = new(StringComparer.Ordinal);
    private readonly Task _sampling;
    private string? _ended;

    private WaitSampler(NpgsqlConnection connection, string database, CollectorCost cost)
    {
        _connection = connection;
        _database = database;
        _cost = cost;
        _sampling = Task.Run(SampleAsync, CancellationToken.None);
    }

    /// <summary>Moments looked at; final after <see cref="StopAsync"/>.</summary>
    public int Samples { get; private set; }

    public static async Task<WaitSampler> StartAsync(string observer, string database, CollectorCost cost, CancellationToken cancellationToken)
    {
        var connection = await PostgresCollector.ConnectAsync(observer, cancellationToken);
        return new WaitSampler(connection, database, cost);
    }

    /// <summary>Stops looking and closes the connection. May be called again.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _sampling; // A query under way is let finish: to cancel it would cost the server a session.
        await _connection.DisposeAsync();
    }

    /// <summary>Shares, the greatest first; or none, and why.</summary>
    public (IReadOnlyList<WaitResult> Waits, string? Reason) Shares()
    {
        if (Blindness() is { } reason)
        {
            return ([], reason);
        }

        var sessions = _seen.Values.Sum(wait => wait.Sessions);
        return Math.Min(Samples, sessions) < MinimumSamples
            ? ([], $"No waits: {sessions} active sessions in {Samples} samples at 10 Hz; shares need {MinimumSamples} of each.")
            : ([.. _seen.Select(wait => new WaitResult(wait.Key, (double)wait.Value.Sessions / sessions)).OrderByDescending(wait => wait.Share)], null);
    }

    /// <summary>Sessions on average, whatever their number: a server that is seen idle is known to be idle. Null when sessions could not be seen.</summary>
    public IReadOnlyList<WaitTime>? Times() => Samples == 0 || Blindness() is not null ? null :
    [
        .. _seen.Select(wait => new WaitTime(
            wait.Key, PostgresWaits.ResourceOf(wait.Key), (double)wait.Value.Sessions / Samples, (double)wait.Value.Moments / Samples))
            .OrderByDescending(wait => wait.AverageSessions),
    ];

    private string? Blindness() =>
        _ended is not null ? $"No waits: sampling ended with {_ended}"
        : _seen.ContainsKey("hidden") ? "No waits: the collector's role may not see sessions of other roles; as a superuser: GRANT pg_read_all_stats TO <role>."
        : null;

    private async Task SampleAsync()
    {
        using var timer = new PeriodicTimer(Interval);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                foreach (var (wait, sessions) in await _cost.ReadAsync(_connection, Sql, r => (r.GetString(0), r.GetInt64(1)), CancellationToken.None, _database))
                {
                    var (before, moments) = _seen.GetValueOrDefault(wait);
                    _seen[wait] = (before + sessions, moments + 1);
                }

                Samples++;
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The way it ends.
        }
        catch (NpgsqlException exception)
        {
            _ended = exception.Message; // The server went away: told with the result.
        }
    }
}
