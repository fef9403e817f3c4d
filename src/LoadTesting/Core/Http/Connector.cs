using System.Net.Security;

namespace LoadTesting.Core.Http;

/// <summary>
/// Opens connections to one server. Looks up its addresses once, and again when none of them answers.
/// </summary>
internal sealed class Connector(Uri address, HttpSenderOptions options) : IDisposable
{
    private readonly EpollLoops? _loops =
        options.ContinuesInline && EpollLoops.IsSupported && address.Scheme == Uri.UriSchemeHttp
            ? EpollLoops.Start()
            : null;

    private long _connections;
    private Task<IPAddress[]>? _lookup;

    internal long Connections => Volatile.Read(ref _connections);

    internal TimeSpan? LongestHold => _loops?.LongestHold;

    /// <summary>The value of the Host header.</summary>
    internal string Host { get; } =
        (address.HostNameType == UriHostNameType.IPv6 ? address.Host : address.IdnHost)
        + (address.IsDefaultPort ? "" : string.Create(CultureInfo.InvariantCulture, $":{address.Port}"));

    /// <exception cref="SocketException">No address accepts the connection; the error of the last one.</exception>
    /// <exception cref="System.Security.Authentication.AuthenticationException">The handshake failed.</exception>
    /// <exception cref="IOException">The server ended the handshake.</exception>
    internal async ValueTask<Wire> OpenAsync(CancellationToken cancellationToken)
    {
        var lookup = Volatile.Read(ref _lookup);
        if (lookup is null)
        {
            lookup = LookUpAsync();
            lookup = Interlocked.CompareExchange(ref _lookup, lookup, null) ?? lookup;
        }

        var last = new SocketException((int)SocketError.HostNotFound);
        try
        {
            foreach (var candidate in await lookup.WaitAsync(cancellationToken).ConfigureAwait(false))
            {
                try
                {
                    return await OpenAsync(new IPEndPoint(candidate, address.Port), cancellationToken)
                        .ConfigureAwait(false);
                }
                catch (SocketException exception)
                {
                    last = exception;
                }
            }
        }
        catch (SocketException exception)
        {
            last = exception;
        }

        _ = Interlocked.CompareExchange(ref _lookup, null, lookup);
        throw last;
    }

    public void Dispose() => _loops?.Dispose();

    private async ValueTask<Wire> OpenAsync(IPEndPoint endpoint, CancellationToken cancellationToken)
    {
        var socket = new Socket(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            if (_loops is not null)
            {
                var wire = await _loops.ConnectAsync(socket, endpoint, cancellationToken).ConfigureAwait(false);
                Interlocked.Increment(ref _connections);
                return wire;
            }

            await socket.ConnectAsync(endpoint, cancellationToken).ConfigureAwait(false);
            Interlocked.Increment(ref _connections);
            return address.Scheme == Uri.UriSchemeHttps
                ? await SecuredAsync(socket, cancellationToken).ConfigureAwait(false)
                : new SocketWire(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task<IPAddress[]> LookUpAsync() => IPAddress.TryParse(address.DnsSafeHost, out var literal)
        ? [literal]
        : await Dns.GetHostAddressesAsync(address.IdnHost, CancellationToken.None).ConfigureAwait(false);

    private async ValueTask<Wire> SecuredAsync(Socket socket, CancellationToken cancellationToken)
    {
        var stream = new SslStream(new NetworkStream(socket, ownsSocket: true));
        try
        {
            await stream.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = address.IdnHost,
                    ApplicationProtocols = [SslApplicationProtocol.Http11],
                    RemoteCertificateValidationCallback = options.CertificateValidation,
                },
                cancellationToken).ConfigureAwait(false);
            return new TlsWire(socket, stream);
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
