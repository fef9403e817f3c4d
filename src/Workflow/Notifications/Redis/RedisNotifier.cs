using System.Net;
using System.Numerics;
using Foundation;
using Microsoft.Extensions.Logging;
using StackExchange.Redis;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;

namespace Workflow.Notifications.Redis;

/// <summary>
/// Notifications over a Redis channel. While one PUBLISH is under way, whatever else is notified becomes the next one: a bit for each lane,
/// however many signals. Redis keeps nothing, so what is published while nobody listens is lost, which costs a look at the store's own
/// interval.
/// </summary>
public sealed class RedisNotifier : INotifier
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan OpenLimit = TimeSpan.FromSeconds(5);
    private readonly RedisNotifierOptions _options;
    private readonly ConfigurationOptions _configuration;
    private readonly TimeProvider _timeProvider;
    private readonly ILogger _logger;
    private readonly Guid _self = Guid.NewGuid();
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _notified = new(0);
    private Action<int> _wake = _ => { };
    private volatile RedisLink? _link;
    private Task _connecting = Task.CompletedTask;
    private Task _sending = Task.CompletedTask;
    private ulong _waiting;
    private long _sent;
    private long _coalesced;
    private long _lost;
    private long _received;
    private int _listens;
    private int _foreign;

    /// <summary>Checks the settings; nothing is connected yet.</summary>
    /// <exception cref="ArgumentException">The connection string cannot be used; the message repeats none of it.</exception>
    public RedisNotifier(RedisNotifierOptions options, TimeProvider timeProvider, ILoggerFactory loggers)
    {
        _options = options;
        _configuration = options.ToConfiguration();
        _timeProvider = timeProvider;
        _logger = loggers.CreateLogger<RedisNotifier>();
        Description = $"Redis {string.Join(", ", _configuration.EndPoints.Select(Describe))}, channel {options.Channel}";
    }

    public string Description { get; }

    public NotificationCounts Counts =>
        new(Interlocked.Read(ref _sent), Interlocked.Read(ref _coalesced), Interlocked.Read(ref _lost), Interlocked.Read(ref _received));

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _listens, 1) != 0)
        {
            throw new InvalidOperationException($"{Description} is listened to already. Make another one for another engine.");
        }

        _wake = wake;
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _connecting = Task.Run(() => KeepConnectedAsync(first), CancellationToken.None);
        _sending = Task.Run(SendAsync, CancellationToken.None);
        return first.Task.WaitAsync(cancellationToken);
    }

    public void Send(int lane)
    {
        if (lane is < 0 or >= WakeMessage.MaxLanes || _stop.IsCancellationRequested)
        {
            Interlocked.Increment(ref _lost);
            return;
        }

        var bit = 1UL << lane;
        var waiting = Interlocked.Or(ref _waiting, bit);
        if ((waiting & bit) != 0)
        {
            Interlocked.Increment(ref _coalesced);
        }
        else if (waiting == 0)
        {
            _notified.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _connecting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Count(ref _lost, Interlocked.Exchange(ref _waiting, 0));
    }

    private static string Describe(EndPoint endPoint) => endPoint is DnsEndPoint name ? $"{name.Host}:{name.Port}" : endPoint.ToString()!;

    /// <summary>The library reports a refused password in words of its own, which differ between its versions.</summary>
    private static string Explain(Exception exception) =>
        new[] { "Authentication", "NOAUTH", "WRONGPASS" }.Any(word => exception.Message.Contains(word, StringComparison.Ordinal))
            ? $"the password is missing or wrong: {exception.Message}"
            : exception.Message;

    private static void Count(ref long counter, ulong lanes) => Interlocked.Add(ref counter, BitOperations.PopCount(lanes));

    private async Task KeepConnectedAsync(TaskCompletionSource first)
    {
        var backoff = new Backoff(FirstPause, _options.LongestPause, _timeProvider);
        var away = false;
        while (true)
        {
            string reason;
            try
            {
                var link = await RedisLink.OpenAsync(
                    _configuration, _options.Channel, Receive, OpenLimit, _timeProvider, _stop.Token).ConfigureAwait(false);
                await using var closing = link.ConfigureAwait(false);
                _link = link;
                Tell(ref away);
                first.TrySetResult();
                backoff.Reset();
                reason = await link.Failed.WaitAsync(_stop.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                reason = Explain(e);
            }
            finally
            {
                _link = null;
                first.TrySetResult();
            }

            if (!away)
            {
                Log.Away(_logger, Description, reason);
                away = true;
            }

            await backoff.PauseAsync(_stop.Token).ConfigureAwait(false);
        }
    }

    private void Tell(ref bool away)
    {
        if (!away)
        {
            Log.Connected(_logger, Description);
            return;
        }

        away = false;
        Log.Back(_logger, Description);
        _wake(INotifier.EveryLane); // What was notified meanwhile did not arrive.
    }

    private async Task SendAsync()
    {
        var logged = false;
        while (true)
        {
            await _notified.WaitAsync(_stop.Token).ConfigureAwait(false);
            var lanes = Interlocked.Exchange(ref _waiting, 0);
            var failure = await TryPublishAsync(new WakeMessage(_self, lanes)).ConfigureAwait(false);
            Count(ref failure is null ? ref _sent : ref _lost, lanes);
            if (failure is not null && !logged && failure.Length > 0)
            {
                Log.NotificationLost(_logger, Description, failure);
            }

            logged = failure is not null;
        }
    }

    /// <returns>Null when Redis has it, else why not; empty where that was logged already.</returns>
    private async Task<string?> TryPublishAsync(WakeMessage message)
    {
        if (_link is not { } link)
        {
            return "";
        }

        try
        {
            await link.PublishAsync(message.Encode()).WaitAsync(_options.PublishTimeout, _timeProvider, _stop.Token).ConfigureAwait(false);
            return null;
        }
        catch (Exception e)
        {
            // A notification is advice; the count is what is left of this one.
            return e.Message;
        }
    }

    private void Receive(byte[]? bytes)
    {
        if (WakeMessage.Decode(bytes) is not { } message)
        {
            if (Interlocked.Exchange(ref _foreign, 1) == 0)
            {
                Log.Foreign(_logger, Description);
            }
        }
        else if (message.Sender != _self)
        {
            Count(ref _received, message.Lanes);
            for (var lanes = message.Lanes; lanes != 0; lanes &= lanes - 1)
            {
                _wake(BitOperations.TrailingZeroCount(lanes));
            }
        }
    }
}
