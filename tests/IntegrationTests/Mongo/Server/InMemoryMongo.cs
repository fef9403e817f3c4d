using System.Net.Sockets;

namespace IntegrationTests.Mongo.Server;

/// <summary>
/// A server in this process that speaks MongoDB's wire protocol, so that the driver talks to it. It is the only member
/// of a replica set, has no accounts (every login is refused), knows the commands and operators that the store uses,
/// and refuses any other by its name.
/// </summary>
internal sealed class InMemoryMongo : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<Socket, Task> _connections = new();
    private readonly Commands _commands;
    private readonly Task _accepting;

    public InMemoryMongo()
    {
        Documents = new(this);
        _commands = new(this, Documents);
        _listener.Start();
        Address = $"{_listener.LocalEndpoint}";
        _accepting = AcceptAsync();
    }

    /// <summary>Host and port.</summary>
    public string Address { get; }

    public Documents Documents { get; }

    /// <summary>Every command received, in order, without those that the driver sends by itself.</summary>
    public ConcurrentQueue<MongoCall> Calls { get; } = new();

    /// <summary>False: a server that stands alone, which has no transactions.</summary>
    public bool IsReplicaSet { get; set; } = true;

    public int MaxWireVersion { get; set; } = 21;

    /// <summary>The server's clock.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>
    /// Runs before a command does, those of <see cref="MongoCall.Connect"/> and <see cref="MongoCall.Heartbeat"/> too:
    /// waits, answers with a <see cref="MongoReplyException"/> or throws <see cref="ConnectionCutException"/>.
    /// </summary>
    public Func<MongoCall, Task> Before { get; set; } = _ => Task.CompletedTask;

    /// <summary>
    /// Runs when a command has had its effect and the answer has not left yet: may also change the answer.
    /// </summary>
    public Func<MongoCall, BsonDocument, Task> After { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Answers to commands that the server does not know by itself, by name.</summary>
    public ConcurrentDictionary<string, Func<BsonDocument, BsonDocument>> Answers { get; } =
        new(StringComparer.Ordinal);

    public CancellationToken Stopped => _stop.Token;

    /// <summary>For a client of a database; an account is written <c>user:password@</c>.</summary>
    public string ConnectionString(string database, string account = "") =>
        $"mongodb://{account}{Address}/{database}{(IsReplicaSet ? "?replicaSet=rs0" : "")}";

    /// <summary>Nothing goes wrong any more.</summary>
    public void Calm() => (Before, After) = (_ => Task.CompletedTask, (_, _) => Task.CompletedTask);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (var connection in _connections.Keys)
        {
            connection.Dispose();
        }

        await Task.WhenAll(_connections.Values).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            var socket = await _listener.AcceptSocketAsync(_stop.Token);
            socket.NoDelay = true;
            _connections[socket] = Task.Run(() => ServeAsync(socket), CancellationToken.None);
        }
    }

    /// <summary>One command after the other, until either side ends the connection.</summary>
    private async Task ServeAsync(Socket socket)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: true);
        try
        {
            while (await WireMessage.ReadAsync(stream, _stop.Token) is { } message)
            {
                var reply = await AnswerAsync(new(message.Command));
                if (message.WantsReply)
                {
                    await message.ReplyAsync(stream, reply, _stop.Token);
                }
            }
        }
        catch (Exception e) when (e is ConnectionCutException or IOException or SocketException
            or OperationCanceledException or ObjectDisposedException or InvalidDataException)
        {
            // The connection is over.
        }
        finally
        {
            _connections.TryRemove(socket, out _);
        }
    }

    private async Task<BsonDocument> AnswerAsync(MongoCall call)
    {
        if (call.Name is not (MongoCall.Connect or MongoCall.Heartbeat or "saslStart"))
        {
            Calls.Enqueue(call);
        }

        try
        {
            await Before(call).WaitAsync(_stop.Token);
            var reply = await _commands.RunAsync(call, _stop.Token);
            await After(call, reply).WaitAsync(_stop.Token);
            return reply;
        }
        catch (MongoReplyException e)
        {
            return e.ToReply();
        }
        catch (NotSupportedException e)
        {
            return new MongoReplyException(115, "CommandNotSupported", e.Message).ToReply();
        }
    }
}
