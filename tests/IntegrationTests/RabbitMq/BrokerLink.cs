using System.Net.Sockets;

namespace IntegrationTests.RabbitMq;

/// <summary>A network between a bus and its broker: each connection goes through it until it is cut.</summary>
internal sealed class BrokerLink : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly int _brokerPort;
    private readonly Lock _gate = new();
    private readonly List<Connection> _connections = [];
    private readonly Task _accepting;
    private bool _down;

    public BrokerLink(int brokerPort)
    {
        _brokerPort = brokerPort;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Cuts all connections. Until <see cref="Restore"/>, new connections are reset at once.</summary>
    public void CutAll(Cut cut)
    {
        lock (_gate)
        {
            _down = true;
            _connections.ForEach(connection => connection.End(cut));
            _connections.RemoveAll(_ => cut != Cut.Silent);
        }
    }

    public void Restore()
    {
        lock (_gate)
        {
            _down = false;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        CutAll(Cut.Reset);
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                lock (_gate)
                {
                    var connection = new Connection(client);
                    if (_down)
                    {
                        connection.End(Cut.Reset);
                        continue;
                    }

                    _connections.Add(connection);
                    _ = connection.CarryAsync(_brokerPort);
                }
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The listener was stopped.
        }
    }

    /// <summary>The two sockets of a connection, and whether what arrives at one leaves by the other.</summary>
    private sealed class Connection(TcpClient client)
    {
        private readonly TcpClient _broker = new();
        private volatile bool _silent;
        private bool _ended;

        public void End(Cut cut)
        {
            if (cut == Cut.Silent)
            {
                _silent = true;
                return;
            }

            if (Interlocked.Exchange(ref _ended, true))
            {
                return;
            }

            foreach (var socket in new[] { client, _broker })
            {
                socket.LingerState = new(cut == Cut.Reset, 0);
                socket.Close();
            }
        }

        public async Task CarryAsync(int brokerPort)
        {
            try
            {
                await _broker.ConnectAsync(IPAddress.Loopback, brokerPort);
                await Task.WhenAll(CopyAsync(client.GetStream(), _broker.GetStream()),
                    CopyAsync(_broker.GetStream(), client.GetStream()));
            }
            catch (Exception e)
                when (e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
            {
                // Cut, here or by one of the ends: both learn it.
                End(Cut.Closed);
            }
        }

        private async Task CopyAsync(NetworkStream from, NetworkStream to)
        {
            var buffer = new byte[64 * 1024];
            while (await from.ReadAsync(buffer) is var count and > 0)
            {
                if (!_silent)
                {
                    await to.WriteAsync(buffer.AsMemory(0, count));
                }
            }

            throw new IOException("The other end closed the connection.");
        }
    }
}
