using StackExchange.Redis;

namespace Workflow.Notifications.Redis;

/// <summary>
/// One connection that listens to the channel, from its beginning until it first fails. It is not mended but replaced:
/// whether and when the library connects again, and whether its subscriptions come back, differs between its versions.
/// </summary>
internal sealed class RedisLink : IAsyncDisposable
{
    private readonly ConnectionMultiplexer _multiplexer;
    private readonly RedisChannel _channel;
    private readonly TaskCompletionSource<string> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private RedisLink(ConnectionMultiplexer multiplexer, string channel)
    {
        _multiplexer = multiplexer;
        _channel = new RedisChannel(channel, RedisChannel.PatternMode.Literal);
        multiplexer.ConnectionFailed += (_, e) =>
            _failed.TrySetResult($"{e.ConnectionType} connection: {e.FailureType}");
    }

    /// <summary>Ends with the reason when the connection does.</summary>
    public Task<string> Failed => _failed.Task;

    /// <exception cref="RedisException">The server cannot be had.</exception>
    /// <exception cref="TimeoutException">It does not answer in time.</exception>
    /// <exception cref="InvalidOperationException">It does not let the channel be subscribed to.</exception>
    public static async Task<RedisLink> OpenAsync(
        ConfigurationOptions configuration, string channel, Action<byte[]?> receive, TimeSpan limit,
        TimeProvider timeProvider,
        CancellationToken cancellationToken)
    {
        // On a thread of the pool: before its first wait the library resolves names and opens sockets.
        var connecting = Task.Run(() => ConnectionMultiplexer.ConnectAsync(configuration), CancellationToken.None);
        try
        {
            await connecting.WaitAsync(limit, timeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            _ = CloseLateAsync(connecting);
            throw;
        }

        var link = new RedisLink(await connecting.ConfigureAwait(false), channel);
        try
        {
            var subscriber = link._multiplexer.GetSubscriber();
            await subscriber.SubscribeAsync(link._channel, (_, message) => receive(message))
                .WaitAsync(limit, timeProvider, cancellationToken).ConfigureAwait(false);
            return subscriber.SubscribedEndpoint(link._channel) is null
                ? throw new InvalidOperationException("The channel could not be subscribed to.")
                : link;
        }
        catch
        {
            await link.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Publishes a message. One that finds no connection fails at once.</summary>
    public Task PublishAsync(byte[] message) => _multiplexer.GetSubscriber().PublishAsync(_channel, message);

    public ValueTask DisposeAsync() => CloseAsync(_multiplexer);

    private static async Task CloseLateAsync(Task<ConnectionMultiplexer> connecting)
    {
        await ((Task)connecting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (connecting.IsCompletedSuccessfully)
        {
            await CloseAsync(await connecting.ConfigureAwait(false)).ConfigureAwait(false);
        }
    }

    private static async ValueTask CloseAsync(ConnectionMultiplexer multiplexer)
    {
        await multiplexer.CloseAsync(allowCommandsToComplete: false).ConfigureAwait(false);
        multiplexer.Dispose();
    }
}
