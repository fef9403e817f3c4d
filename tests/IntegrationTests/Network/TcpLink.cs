using System.Net.Sockets;

namespace IntegrationTests.Network;

/// <summary>A network in front of a server: each connection goes through it until it is cut.</summary>
internal sealed class TcpLink : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Lock _gate = new();
    private readonly List<Connection> _connections = [];
    private readonly Task _accepting;
    private bool _down;
    private volatile TaskCompletionSource _flowing = new();

    public TcpLink()
    {
        _flowing.SetResult();
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>The port of the server on this machine. Until it is set, connections are closed at once.</summary>
    public int ServerPort { get; set; }

    /// <summary>Cuts all connections. Until <see cref="Restore"/>, new connections are reset at once.</summary>
    /// <returns>The number of connections that were cut.</returns>
    public int CutAll(Cut cut)
    {
        lock (_gate)
        {
            _down = true;
            var count = _connections.Count(connection => connection.End(cut));
            _connections.RemoveAll(_ => cut != Cut.Silent);
            return count;
        }
    }

    /// <summary>
    /// Passes nothing on, in either direction. <see cref="Restore"/> passes on what has come meanwhile.
    /// </summary>
    public void Hold()
    {
        lock (_gate)
        {
            _flowing = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    public void Restore()
    {
        lock (_gate)
        {
            _down = false;
            _flowing.TrySetResult();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        CutAll(Cut.Reset);
        _flowing.TrySetResult();
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
                    client.NoDelay = true;
                    var connection = new Connection(this, client);
                    if (_down)
                    {
                        connection.End(Cut.Reset);
                        continue;
                    }

                    _connections.Add(connection);
                    _ = CarryAsync(connection);
                }
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The listener was stopped.
        }
    }

    private async Task CarryAsync(Connection connection)
    {
        await connection.CarryAsync();
        lock (_gate)
        {
            _connections.Remove(connection);
        }
    }

    /// <summary>The two sockets of a connection, and whether what arrives at one leaves by the other.</summary>
    private sealed class Connection(TcpLink link, TcpClient client)
    {
        private readonly TcpClient _server = new() { NoDelay = true };
        private volatile bool _silent;
        private bool _ended;

        /// <returns>False if it had ended before.</returns>
        public bool End(Cut cut)
        {
            if (cut == Cut.Silent)
            {
                _silent = true;
                return true;
            }

            if (Interlocked.Exchange(ref _ended, true))
            {
                return false;
            }

            foreach (var socket in new[] { client, _server })
            {
                socket.LingerState = new(cut == Cut.Reset, 0);
                socket.Close();
            }

            return true;
        }

        public async Task CarryAsync()
        {
            try
            {
                await _server.ConnectAsync(IPAddress.Loopback, link.ServerPort);
                var (there, back) = (client.GetStream(), _server.GetStream());
                await Task.WhenAll(CopyAsync(there, back), CopyAsync(back, there));
            }
            catch (Exception e)
                when (e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
            {
                // Cut, here or by one of the ends.
            }
            finally
            {
                End(Cut.Closed);
            }
        }

        private async Task CopyAsync(NetworkStream from, NetworkStream to)
        {
            var buffer = new byte[64 * 1024];
            try
            {
                while (await from.ReadAsync(buffer) is var count and > 0)
                {
                    await link._flowing.Task;
                    if (!_silent)
                    {
                        await to.WriteAsync(buffer.AsMemory(0, count));
                    }
                }
            }
            finally
            {
                // The other end learns that this one has closed the connection, unless nothing arrives there any more.
                if (!_silent)
                {
                    End(Cut.Closed);
                }
            }
        }
    }
}
