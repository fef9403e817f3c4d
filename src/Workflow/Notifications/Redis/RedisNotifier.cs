using System.Net;
using Foundation;
using Microsoft.Extensions.Logging;
using StackExchange.Redis;
using Workflow.Abstractions.Notifications;

namespace Workflow.Notifications.Redis;

/// <summary>
/// Notifications over a Redis channel. Redis keeps nothing, so what is published while nobody listens is lost, which
/// costs a look at the store's own interval.
/// </summary>
public sealed class RedisNotifier : ConnectedNotifier
{
    private const string Refused = "the password is missing or wrong";
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan OpenLimit = TimeSpan.FromSeconds(5);
    private readonly RedisNotifierOptions _options;
    private readonly ConfigurationOptions _configuration;
    private readonly TimeProvider _timeProvider;
    private readonly ILogger _logger;
    private volatile RedisLink? _link;
    private int _foreign;
    private bool _lossLogged;

    /// <summary>Checks the settings; nothing is connected yet.</summary>
    /// <exception cref="ArgumentException">
    /// The connection string cannot be used; the message repeats none of it.
    /// </exception>
    public RedisNotifier(RedisNotifierOptions options, TimeProvider timeProvider, ILoggerFactory loggers)
    {
        _options = options;
        _configuration = options.ToConfiguration();
        _timeProvider = timeProvider;
        _logger = loggers.CreateLogger<RedisNotifier>();
        Description =
            $"Redis {string.Join(", ", _configuration.EndPoints.Select(Describe))}, channel {options.Channel}";
    }

    public override string Description { get; }

    private static string Describe(EndPoint endPoint) =>
        endPoint is DnsEndPoint name ? $"{name.Host}:{name.Port}" : endPoint.ToString()!;

    /// <summary>
    /// The library reports a refused password in words of its own, which differ between its versions.
    /// </summary>
    private static string Explain(Exception exception) =>
        new[] { "Authentication", "NOAUTH", "WRONGPASS" }.Any(word =>
            exception.Message.Contains(word, StringComparison.Ordinal))
            ? $"{Refused}: {exception.Message}"
            : exception.Message;

    protected override async Task KeepListeningAsync(Action tried)
    {
        var backoff = new Backoff(FirstPause, _options.LongestPause, _timeProvider);
        var (away, refused) = (false, false);
        while (true)
        {
            string reason;
            try
            {
                var link = await RedisLink.OpenAsync(
                    _configuration, _options.Channel, Receive, OpenLimit, _timeProvider,
                    Stopping).ConfigureAwait(false);
                await using var closing = link.ConfigureAwait(false);
                _link = link;
                LogAvailability(ref away);
                refused = false;
                tried();
                backoff.Reset();
                reason = await link.Failed.WaitAsync(Stopping).ConfigureAwait(false);
            }
            catch (Exception e) when (!Stopping.IsCancellationRequested)
            {
                reason = Explain(e);
            }
            finally
            {
                _link = null;
            }

            // Logged once. A refused password is logged again after a timeout, because only it names the cause.
            var isRefusal = reason.StartsWith(Refused, StringComparison.Ordinal);
            if (!away || (isRefusal && !refused))
            {
                Log.Away(_logger, Description, reason);
                (away, refused) = (true, isRefusal);
            }

            // Called only now, so that the log has the reason before the start continues.
            tried();
            await backoff.PauseAsync(Stopping).ConfigureAwait(false);
        }
    }

    private void LogAvailability(ref bool away)
    {
        if (!away)
        {
            Log.Connected(_logger, Description);
            return;
        }

        away = false;
        Log.Back(_logger, Description);
        Wake(INotifier.EveryLane); // What was notified meanwhile did not arrive.
    }

    protected override async Task<bool> TryPublishAsync(WakeMessage message)
    {
        if (_link is not { } link)
        {
            // That it is away was logged.
            return false;
        }

        try
        {
            await link.PublishAsync(message.Encode())
                .WaitAsync(_options.PublishTimeout, _timeProvider, Stopping).ConfigureAwait(false);
            _lossLogged = false;
            return true;
        }
        catch (Exception e)
        {
            // A notification is advice; the count is what is left of this one.
            if (!_lossLogged)
            {
                Log.NotificationLost(_logger, Description, e.Message);
                _lossLogged = true;
            }

            return false;
        }
    }

    private void Receive(byte[]? bytes)
    {
        if (WakeMessage.Decode(bytes) is { } message)
        {
            Receive(message);
        }
        else if (Interlocked.Exchange(ref _foreign, 1) == 0)
        {
            Log.Foreign(_logger, Description);
        }
    }
}
