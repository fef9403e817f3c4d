namespace UnitTests.LoadTesting.Http;

/// <summary>
/// A service over sockets that sends numbers to all who listen, resumes where they were, and breaks a promise where a
/// test asks for it.
/// </summary>
internal sealed class PublishingService : IAsyncDisposable
{
    internal const string Head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

    private readonly ConcurrentDictionary<int, ScriptedConnection> _open = new();
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly ScriptedServer _server;
    private int _published;

    public PublishingService() => _server = new ScriptedServer(ServeAsync);

    public Uri Address => _server.Address;

    /// <summary>The positions that clients came back with.</summary>
    public ConcurrentQueue<string> Resumed { get; } = new();

    /// <summary>The message that a connection receives for a publication.</summary>
    public Func<int, int, int[]> Sends { get; set; } = (_, n) => [n];

    /// <summary>What is sent after it.</summary>
    public Func<int, int, string> After { get; set; } = (_, _) => "";

    /// <summary>The answer to a connection; the empty one never comes.</summary>
    public Func<int, string> Answers { get; set; } = _ => Head;

    /// <summary>Whether a connection gets nothing but the head.</summary>
    public Func<int, bool> IsSilent { get; set; } = _ => false;

    /// <summary>Whether a connection is cut instead of being sent a publication.</summary>
    public Func<int, int, bool> Cuts { get; set; } = (_, _) => false;

    /// <summary>Whether a client that reconnects receives only new events.</summary>
    public bool Forgets { get; set; }

    /// <summary>Whether one client waits for what does not come.</summary>
    public bool KeepsOneWaiting => IsSilent(1) || Answers(1).Length == 0;

    /// <summary>Whether not all clients can have the last publication.</summary>
    public bool IsPartial => IsSilent(1) || Forgets || Answers(int.MaxValue) != Head;

    public async Task PublishAsync(int number)
    {
        await _gate.WaitAsync();
        try
        {
            _published = number + 1;
            foreach (var (client, connection) in _open)
            {
                if (Cuts(client, number))
                {
                    _open.TryRemove(client, out _);
                    connection.Reset();
                    continue;
                }

                var frames = string.Concat(Sends(client, number).Select(Frame)) + After(client, number);
                await SendAsync(client, connection, frames);
            }
        }
        finally
        {
            _gate.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _gate.Dispose();
    }

    private static string Frame(int number) => $"id: 0:{number + 1}\nevent: published\ndata: {number}\n\n";

    private static string Chunk(string text) => text.Length == 0 ? "" : $"{text.Length:x}\r\n{text}\r\n";

    private async Task SendAsync(int client, ScriptedConnection connection, string frames)
    {
        try
        {
            await connection.SendAsync(Chunk(frames));
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            // This client has left; it comes back.
            _open.TryRemove(client, out _);
        }
    }

    private async Task ServeAsync(int client, ScriptedConnection connection)
    {
        var request = await connection.ReadRequestAsync();
        if (request is null || Answers(client) is not { Length: > 0 } answer)
        {
            await Task.Delay(Timeout.Infinite, connection.Stop);
            return;
        }

        await _gate.WaitAsync(connection.Stop);
        try
        {
            const string Field = "Last-Event-ID: ";
            var position = request.Split("\r\n")
                .FirstOrDefault(line => line.StartsWith(Field, StringComparison.Ordinal))?[Field.Length..];
            await connection.SendAsync(answer);
            if (answer != Head || IsSilent(client))
            {
                return;
            }

            var from = _published;
            if (position is not null)
            {
                Resumed.Enqueue(position);
                from = Forgets ? from : int.Parse(position["0:".Length..], CultureInfo.InvariantCulture);
            }

            var missed = string.Concat(Enumerable.Range(from, _published - from).Select(Frame));
            await connection.SendAsync(Chunk($": listening\n\nid: 0:{from}\n\n{missed}"));
            _open[client] = connection;
        }
        finally
        {
            _gate.Release();
            if (IsSilent(client))
            {
                await connection.ReadRequestAsync();
            }
        }

        await connection.ReadRequestAsync();
        _open.TryRemove(client, out _);
    }
}
