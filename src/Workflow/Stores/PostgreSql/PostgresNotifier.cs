using Foundation;
using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// Notifications by <c>LISTEN</c> and <c>NOTIFY</c> over two connections: one listens, one sends. Sending is not part
/// of a flush, because the server serialises the commits of transactions that notify, and a notification need not be
/// durable.
/// </summary>
public sealed class PostgresNotifier : ConnectedNotifier
{
    private const int LongestName = 63;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    /// <summary>The interval of keep-alive checks on a silent connection.</summary>
    private static readonly TimeSpan LongestSilence = TimeSpan.FromSeconds(30);

    private readonly NpgsqlDataSource _source;
    private readonly string _channel;
    private readonly TimeProvider _time;
    private NpgsqlConnection? _sender;
    private volatile string? _trouble;

    /// <summary>Checks the settings; nothing is connected yet.</summary>
    /// <param name="options">The same as the store's.</param>
    /// <param name="timeProvider">For pauses; the system's when omitted.</param>
    /// <exception cref="ArgumentException">
    /// The connection string or the schema name is wrong; the message has no password.
    /// </exception>
    public PostgresNotifier(PostgresStoreOptions options, TimeProvider? timeProvider = null)
    {
        var target = options.ToBuilder();
        target.Pooling = false;
        target.KeepAlive = (int)LongestSilence.TotalSeconds;
        _source = PostgresDatabase.Source(target);
        _time = timeProvider ?? TimeProvider.System;

        // A name that is cut is shared by some schemas: a node is woken for nothing then, and finds nothing.
        var name = $"workflow_wake_{options.Schema}";
        _channel = name[..Math.Min(name.Length, LongestName)];
        Description = $"LISTEN {_channel} at {target.Host}:{target.Port}, database '{target.Database}'";
    }

    public override string Description { get; }

    /// <summary>Why nothing is listened to at the moment, in words without a secret; null while it is.</summary>
    public string? Trouble => _trouble;

    protected override async ValueTask CloseAsync()
    {
        await CloseSenderAsync().ConfigureAwait(false);
        await _source.DisposeAsync().ConfigureAwait(false);
    }

    protected override async Task KeepListeningAsync(Action tried)
    {
        var backoff = new Backoff(FirstPause, LongestPause, _time);
        while (true)
        {
            try
            {
                var connection = await _source.OpenConnectionAsync(Stopping).ConfigureAwait(false);
                await using var closing = connection.ConfigureAwait(false);
                connection.Notification += (_, sent) => Receive(sent.Payload);
                await Query.RunAsync(connection, $"listen {_channel}", Stopping).ConfigureAwait(false);
                if (_trouble is not null)
                {
                    _trouble = null;
                    Wake(INotifier.EveryLane); // What was notified meanwhile did not arrive.
                }

                tried();
                backoff.Reset();
                while (true)
                {
                    await connection.WaitAsync(Stopping).ConfigureAwait(false);
                }
            }
            catch (Exception e) when (!Stopping.IsCancellationRequested)
            {
                // Notifications are advice: whatever happens is reported by Trouble, and tried again.
                _trouble = e.Message;
            }

            tried();
            await backoff.PauseAsync(Stopping).ConfigureAwait(false);
        }
    }

    protected override async Task<bool> TryPublishAsync(WakeMessage message)
    {
        try
        {
            if (_sender is null)
            {
                _sender = await _source.OpenConnectionAsync(Stopping).ConfigureAwait(false);
                await Query.RunAsync(_sender, "set synchronous_commit = off", Stopping).ConfigureAwait(false);
            }

            await Query.RunAsync(_sender, "select pg_notify($1, $2)", Stopping, Query.Of(_channel),
                Query.Of(Convert.ToBase64String(message.Encode()))).ConfigureAwait(false);
            return true;
        }
        catch (Exception) when (!Stopping.IsCancellationRequested)
        {
            // A notification is advice; the count is what is left of this one. The next one has a new connection.
            await CloseSenderAsync().ConfigureAwait(false);
            return false;
        }
    }

    private async ValueTask CloseSenderAsync()
    {
        if (Interlocked.Exchange(ref _sender, null) is { } sender)
        {
            await sender.DisposeAsync().ConfigureAwait(false);
        }
    }

    private void Receive(string payload)
    {
        // Other programs can use the channel: other messages are ignored.
        Span<byte> bytes = stackalloc byte[64];
        if (Convert.TryFromBase64String(payload, bytes, out var length)
            && WakeMessage.Decode(bytes[..length].ToArray()) is { } message)
        {
            Receive(message);
        }
    }
}
