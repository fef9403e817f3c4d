using System.Net.Sockets;

namespace UnitTests.LoadTesting.Http;

/// <summary>A server that does to each connection what its script says, and keeps the requests that it read.</summary>
internal sealed class ScriptedServer : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TcpListener _listener;
    private readonly Func<int, ScriptedConnection, Task> _script;
    private readonly Task _accepting;
    private int _connections;

    public ScriptedServer(Func<int, ScriptedConnection, Task> script, IPAddress? address = null)
    {
        _script = script;
        _listener = new TcpListener(address ?? IPAddress.Loopback, 0);
        _listener.Start();
        _accepting = Task.Run(AcceptAsync, CancellationToken.None);
    }

    /// <summary>Answers every request on every connection with the same bytes.</summary>
    public static ScriptedServer Answering(string response) => new(async (_, connection) =>
    {
        while (await connection.ReadRequestAsync() is not null)
        {
            await connection.SendAsync(response);
        }
    });

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public Uri Address => new($"http://127.0.0.1:{Port}");

    public int Connections => Volatile.Read(ref _connections);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            var client = await _listener.AcceptTcpClientAsync(_stop.Token);
            var number = Interlocked.Increment(ref _connections) - 1;
            _ = Task.Run(async () =>
            {
                using var connection = new ScriptedConnection(client, _stop.Token);
                try
                {
                    await _script(number, connection);
                }
                catch (Exception exception) when (exception is IOException or OperationCanceledException)
                {
                    // The client has closed it, or the test is over.
                }
            });
        }
    }
}
