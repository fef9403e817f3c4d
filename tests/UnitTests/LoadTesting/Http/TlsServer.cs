using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace UnitTests.LoadTesting.Http;

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
                catch (Exception exception)
                    when (exception is IOException or OperationCanceledException or AuthenticationException)
                {
                    // The client refused the certificate, or the test is over.
                }
            });
        }
    }
}
