using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

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

internal sealed class ScriptedConnection(TcpClient client, CancellationToken stop) : IDisposable
{
    private readonly NetworkStream _stream = client.GetStream();

    public CancellationToken Stop => stop;

    /// <summary>Head and body of the next request, as one text; null when the client has closed the connection.</summary>
    public async Task<string?> ReadRequestAsync()
    {
        if (await ReadHeadAsync() is not { } head)
        {
            return null;
        }

        var length = head.Split("\r\n").FirstOrDefault(line => line.StartsWith("Content-Length: ", StringComparison.Ordinal));
        var body = new byte[length is null ? 0 : int.Parse(length["Content-Length: ".Length..], CultureInfo.InvariantCulture)];
        await _stream.ReadExactlyAsync(body, stop);
        return head + Encoding.Latin1.GetString(body);
    }

    /// <summary>Reads a head and a body of so many bytes, slowly at first, and reports the body's length.</summary>
    public async Task SkipAsync(int bodyLength, Action<long> report)
    {
        await ReadHeadAsync();
        await Task.Delay(100, stop);
        var buffer = new byte[64 << 10];
        var total = 0L;
        while (total < bodyLength)
        {
            var read = await _stream.ReadAsync(buffer, stop);
            total += read;
            if (read == 0)
            {
                break;
            }
        }

        report(total);
    }

    public async Task SendAsync(string text)
    {
        await _stream.WriteAsync(Encoding.Latin1.GetBytes(text), stop);
        await _stream.FlushAsync(stop);
    }

    /// <summary>Ends the connection with a reset instead of in order.</summary>
    public void Reset()
    {
        client.Client.LingerState = new LingerOption(true, 0);
        client.Client.Dispose();
    }

    public void Dispose() => client.Dispose();

    private async Task<string?> ReadHeadAsync()
    {
        var text = new StringBuilder();
        var one = new byte[1];
        do
        {
            if (await _stream.ReadAsync(one, stop) == 0)
            {
                return null;
            }

            text.Append((char)one[0]);
        }
        while (one[0] != '\n' || !text.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal));
        return text.ToString();
    }
}

/// <summary>The same over TLS, with one answer for every request.</summary>
internal sealed class TlsServer : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Task _accepting;

    public TlsServer(X509Certificate2 certificate, string answer)
    {
        _listener.Start();
        _accepting = Task.Run(() => AcceptAsync(certificate, answer), CancellationToken.None);
    }

    public Uri Address => new($"https://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync(X509Certificate2 certificate, string answer)
    {
        while (!_stop.IsCancellationRequested)
        {
            var client = await _listener.AcceptTcpClientAsync(_stop.Token);
            _ = Task.Run(async () =>
            {
                await using var stream = new SslStream(client.GetStream());
                try
                {
                    var options = new SslServerAuthenticationOptions { ServerCertificate = certificate };
                    await stream.AuthenticateAsServerAsync(options, _stop.Token);
                    var buffer = new byte[4096];
                    while (await stream.ReadAsync(buffer, _stop.Token) > 0)
                    {
                        await stream.WriteAsync(Encoding.ASCII.GetBytes(answer), _stop.Token);
                    }
                }
                catch (Exception exception) when (exception is IOException or OperationCanceledException or AuthenticationException)
                {
                    // The client refused the certificate, or the test is over.
                }
            });
        }
    }
}
