using System.Data.Common;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.Oracle;

/// <summary>
/// Notifications over Advanced Queueing: one message for all other listeners, with as many lanes as came together while
/// the one before was under way. One connection sends and one waits; each wait at the server is bounded.
/// </summary>
public sealed class OracleAqNotifier : INotifier
{
    private readonly OracleAqOptions _options;
    private readonly OracleTarget _target;
    private readonly OracleDriver _driver;
    private readonly TimeProvider _time;
    private readonly int _waitSeconds;
    private readonly string _listener = "N" + Guid.NewGuid().ToString("N")[..24].ToUpperInvariant();
    private readonly PendingNotifications _pending = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _sending;
    private Task _listening = Task.CompletedTask;
    private long _received;
    private volatile string? _trouble;

    /// <summary>Makes notifications that connect when the first one is sent, or when listening begins.</summary>
    /// <param name="options">Where, and how long a call may take.</param>
    /// <param name="timeProvider">For pauses and limits; the system's when omitted.</param>
    /// <param name="driver">Oracle's driver; found at run time when omitted.</param>
    /// <exception cref="ArgumentException">An option is wrong; the message has no password.</exception>
    /// <exception cref="Abstractions.Exceptions.StoreUnavailableException">There is no driver.</exception>
    public OracleAqNotifier(
        OracleAqOptions options, TimeProvider? timeProvider = null, DbProviderFactory? driver = null)
    {
        _options = options;
        _target = new(options.ConnectionString);
        _driver = OracleDriver.Load(driver);
        _time = timeProvider ?? TimeProvider.System;
        _waitSeconds = options.CheckedWaitSeconds();
        _sending = Task.Run(SendAsync);
    }

    public string Description => $"advanced queue WAKE_HINTS, {_target}";

    public NotificationCounts Counts => _pending.Counts with { Received = Interlocked.Read(ref _received) };

    /// <summary>
    /// What is wrong with the queue or the way to it, in words without a secret; null while all is well.
    /// </summary>
    public string? Trouble => _trouble;

    public async Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _listening = Task.Run(() => KeepListeningAsync(wake, first), CancellationToken.None);
        try
        {
            await first.Task.WaitAsync(FirstLimit, _time, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            first.TrySetResult();
        }
    }

    public void Send(int lane) => _pending.Add(lane, delaySeconds: 0);

    /// <summary>
    /// Notifications at the lane once the delay is over, by the queue's own clock; no node needs to remember it.
    /// Returns at once.
    /// </summary>
    /// <param name="lane">From 0.</param>
    /// <param name="delay">Rounded up to whole seconds, at most a day.</param>
    public void Send(int lane, TimeSpan delay)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(delay, TimeSpan.FromDays(1));
        _pending.Add(lane, Math.Max(0, (int)Math.Ceiling(delay.TotalSeconds)));
    }

    public async ValueTask DisposeAsync()
    {
        if (!_pending.Close())
        {
            return;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task SendAsync()
    {
        OracleSession? session = null;
        try
        {
            while (true)
            {
                var due = await _pending.TakeAsync(_stop.Token).ConfigureAwait(false);
                try
                {
                    session ??= await ConnectAsync(_stop.Token).ConfigureAwait(false);
                    foreach (var notifier in due.GroupBy(
                        notification => notification.DelaySeconds, notification => notification.Lane))
                    {
                        await EnqueueAsync(session, [.. notifier], notifier.Key).ConfigureAwait(false);
                    }
                }
                catch (Exception e) when (!_stop.IsCancellationRequested)
                {
                    Note(e);
                    await EndAsync(session).ConfigureAwait(false);
                    session = null;
                    await Task.Delay(_options.ReconnectPause, _time, _stop.Token).ConfigureAwait(false);
                }
                finally
                {
                    _pending.SettleTaken();
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The way it ends.
        }
        finally
        {
            await EndAsync(session).ConfigureAwait(false);
        }
    }

    private async Task EnqueueAsync(OracleSession session, IReadOnlyList<int> lanes, int delaySeconds)
    {
        await session.RunAsync(
            Sql.Queue["enqueue"],
            Limit,
            _stop.Token,
            Bind.Text("p_listener", _listener),
            Bind.Text("p_lanes", string.Join(',', lanes)),
            Bind.Number("p_delay_seconds", delaySeconds),
            Bind.OutNumber("p_sent")).ConfigureAwait(false);
        _pending.CountSent(lanes.Count);
    }

    /// <param name="wake">Wakes lanes.</param>
    /// <param name="first">
    /// Set when the first connection listens, could not be made, or is not waited for any more.
    /// </param>
    private async Task KeepListeningAsync(Action<int> wake, TaskCompletionSource first)
    {
        OracleSession? session = null;
        try
        {
            while (true)
            {
                _stop.Token.ThrowIfCancellationRequested();
                try
                {
                    if (session is null)
                    {
                        session = await BeginToListenAsync(_stop.Token).ConfigureAwait(false);
                        if (!first.TrySetResult())
                        {
                            wake(INotifier.EveryLane); // What was notified meanwhile did not arrive.
                        }
                    }

                    await DequeueAsync(session, wake).ConfigureAwait(false);
                }
                catch (Exception e) when (!_stop.IsCancellationRequested)
                {
                    Note(e);
                    first.TrySetResult();
                    await EndAsync(session).ConfigureAwait(false);
                    session = null;
                    await Task.Delay(_options.ReconnectPause, _time, _stop.Token).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The way it ends.
        }
        finally
        {
            first.TrySetResult();
            await EndAsync(session).ConfigureAwait(false);
        }
    }

    private async Task DequeueAsync(OracleSession session, Action<int> wake)
    {
        var values = await session.RunAsync(
            Sql.Queue["dequeue"],
            TimeSpan.FromSeconds(_waitSeconds) + Limit,
            _stop.Token,
            Bind.Text("p_listener", _listener),
            Bind.Number("p_wait_seconds", _waitSeconds),
            Bind.OutText("p_lanes")).ConfigureAwait(false);
        foreach (var lane in (values.Text("p_lanes") ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            // Other programs can use the queue: other messages are ignored.
            if (int.TryParse(lane, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
            {
                Interlocked.Increment(ref _received);
                wake(number);
            }
        }
    }

    private async Task<OracleSession> BeginToListenAsync(CancellationToken cancellationToken)
    {
        var session = await ConnectAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await session.RunAsync(Sql.Queue["create_queue"], Limit, cancellationToken).ConfigureAwait(false);
            await session.RunAsync(Sql.Queue["listen"], Limit, cancellationToken, Bind.Text("p_listener", _listener))
                .ConfigureAwait(false);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task<OracleSession> ConnectAsync(CancellationToken cancellationToken)
    {
        var session = await OracleSession.OpenAsync(_driver, _target.Single(), Limit, _time, cancellationToken)
            .ConfigureAwait(false);
        _trouble = null;
        return session;
    }

    private void Note(Exception error) => _trouble = DriverErrors.ToUnavailable(error, _target).Message;

    private static async ValueTask EndAsync(OracleSession? session)
    {
        if (session is not null)
        {
            // However it ends, it is not used any more.
            await session.DisposeAsync().AsTask().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static TimeSpan Limit => TimeSpan.FromSeconds(15);

    /// <summary>The limit of the wait for a server when listening begins.</summary>
    private static TimeSpan FirstLimit => TimeSpan.FromSeconds(5);
}
