using System.Data.Common;
using LoadTesting.Core.Analysis.Findings;

namespace PerformanceTesting.Backends;

/// <summary>Looks ten times a second at what the active sessions of a server wait for.</summary>
internal sealed class WaitSampler
{
    /// <summary>
    /// Fewer moments, or fewer sessions seen in them, give no shares: one of ten is anything from 0 to 40 %.
    /// </summary>
    public const int MinimumSamples = 30;

    /// <summary>The wait of sessions that wait for nothing.</summary>
    public const string Cpu = "CPU";

    /// <summary>The wait of sessions that the collector's role may not see.</summary>
    public const string Hidden = "hidden";

    // Of a longer watch every second one is kept, then every fourth: shares stay the same.
    private const int MostLooks = 8_000;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly Func<Task<IEnumerable<(string Wait, long Sessions)>>> _look;
    private readonly Func<string, string?> _resourceOf;
    private readonly Func<ValueTask>? _end;
    private readonly string? _howToSee;
    private readonly CancellationTokenSource _stop = new();
    private readonly Dictionary<string, long> _seen = new(StringComparer.Ordinal);
    private readonly List<SessionLook> _looks = [];
    private readonly Task _sampling;
    private volatile IReadOnlyDictionary<string, double> _seconds = new Dictionary<string, double>();
    private volatile string? _ended;

    /// <summary>Begins to look.</summary>
    /// <param name="look">
    /// Gives the waits of one moment, each once, with the sessions in it; <see cref="Hidden"/> for sessions that may
    /// not be seen.
    /// </param>
    /// <param name="resourceOf">The resource of a wait; null for one that is measured elsewhere.</param>
    /// <param name="end">Called after the last look.</param>
    /// <param name="howToSee">What lets the role see sessions that are hidden from it.</param>
    public WaitSampler(
        Func<Task<IEnumerable<(string Wait, long Sessions)>>> look, Func<string, string?> resourceOf,
        Func<ValueTask>? end = null, string? howToSee = null)
    {
        _howToSee = howToSee;
        _look = look;
        _resourceOf = resourceOf;
        _end = end;
        _sampling = Task.Run(SampleAsync, CancellationToken.None);
    }

    /// <summary>Moments looked at; final after <see cref="StopAsync"/>.</summary>
    public int Samples { get; private set; }

    /// <summary>
    /// Seconds that sessions spent in each wait until now, all sessions together: what is seen at a moment counts since
    /// the moment before. Null once sampling has ended by itself, or if sessions are hidden. Thread-safe.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Seconds =>
        _ended is null && _seconds is var seconds && !seconds.ContainsKey(Hidden) ? seconds : null;

    /// <summary>Stops looking. May be called again.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _sampling; // A query under way is let finish: to cancel it would cost the server a session.
        if (_end is not null)
        {
            await _end();
        }
    }

    /// <summary>Shares, the greatest first; or none, and why.</summary>
    public (IReadOnlyList<WaitResult> Waits, string? Reason) Shares()
    {
        if (Blindness() is { } reason)
        {
            return ([], reason);
        }

        var sessions = _seen.Values.Sum();
        return Math.Min(Samples, sessions) < MinimumSamples
            ? ([], $"No waits: {sessions} active sessions in {Samples} samples at 10 Hz; "
                + $"shares need {MinimumSamples} of each.")
            : (
                [
                    .. _seen
                        .Select(wait => new WaitResult(wait.Key, (double)wait.Value / sessions))
                        .OrderByDescending(wait => wait.Share),
                ],
                null);
    }

    /// <summary>The looks; only some of them after a long watch. Null if sessions could not be seen.</summary>
    public IReadOnlyList<SessionLook>? Looks() => Samples == 0 || Blindness() is not null ? null : _looks;

    private string? Blindness() =>
        _ended is not null ? $"No waits: sampling ended with {_ended}"
        : _seen.ContainsKey(Hidden)
            ? $"No waits: the collector's role may not see sessions of other roles; {_howToSee}."
        : null;

    private void AddLook(SessionLook look)
    {
        _looks.Add(look);
        if (_looks.Count > MostLooks)
        {
            var index = 0;
            _looks.RemoveAll(_ => index++ % 2 != 0);
        }
    }

    private async Task SampleAsync()
    {
        using var timer = new PeriodicTimer(Interval);
        try
        {
            var last = Stopwatch.GetTimestamp();
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                var now = Stopwatch.GetTimestamp();
                var seconds = new Dictionary<string, double>(_seconds, StringComparer.Ordinal);
                var look = new Dictionary<string, WaitSum>(StringComparer.Ordinal);
                foreach (var (wait, sessions) in await _look())
                {
                    look[wait] = new WaitSum(_resourceOf(wait), sessions, 1);
                    _seen[wait] = _seen.GetValueOrDefault(wait) + sessions;
                    var waited = sessions * Stopwatch.GetElapsedTime(last, now).TotalSeconds;
                    seconds[wait] = seconds.GetValueOrDefault(wait) + waited;
                }

                Samples++;
                (_seconds, last) = (seconds, now);
                AddLook(new SessionLook(now, look));
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The way it ends.
        }
        catch (Exception exception) when (exception is DbException or BackendException)
        {
            // The server went away, or refuses: the result says so.
            _ended = exception.Message.Split('\n')[0].TrimEnd();
        }
    }
}
