using System.Net.Security;

namespace LoadTesting.Core.Http;

/// <summary>
/// A connection as bytes. One receive and one send at a time. <see cref="Abort"/> may be called by anybody at any time;
/// <see cref="Dispose"/> by the owner, when no receive is under way.
/// </summary>
internal abstract class Wire : IDisposable
{
    /// <returns>How much came; 0 when the connection has ended.</returns>
    internal abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    internal abstract ValueTask SendAsync(ReadOnlyMemory<byte> data);

    /// <summary>Ends a receive and a send under way, and every later one.</summary>
    internal abstract void Abort();

    public abstract void Dispose();
}

/// <summary>The runtime's own sockets.</summary>
internal sealed class SocketWire(Socket socket) : Wire
{
    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => socket.ReceiveAsync(buffer, SocketFlags.None, default);

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data)
    {
        var sending = socket.SendAsync(data, SocketFlags.None, default);
        if (!sending.IsCompletedSuccessfully)
        {
            return SendRestAsync(sending, data);
        }

        var sent = sending.GetAwaiter().GetResult();
        return sent == data.Length ? default : SendRestAsync(new ValueTask<int>(sent), data);
    }

    internal override void Abort() => socket.Dispose();

    public override void Dispose() => socket.Dispose();

    private async ValueTask SendRestAsync(ValueTask<int> sending, ReadOnlyMemory<byte> data)
    {
        for (var sent = await sending.ConfigureAwait(false); sent < data.Length;)
        {
            data = data[sent..];
            sent = await socket.SendAsync(data, SocketFlags.None, default).ConfigureAwait(false);
        }
    }
}

internal sealed class TlsWire(Socket socket, SslStream stream) : Wire
{
    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => stream.ReadAsync(buffer);

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data) => stream.WriteAsync(data);

    internal override void Abort() => socket.Dispose();

    public override void Dispose() => stream.Dispose();
}

/// <summary>Opens connections to one server. Its addresses are looked up once, and again when none of them answers any more.</summary>
internal sealed class Connector(Uri address, HttpSenderOptions options) : IDisposable
{
    private readonly EpollLoops? _loops =
        options.ContinuesInline && EpollLoops.IsSupported && address.Scheme == Uri.UriSchemeHttp ? EpollLoops.Start() : null;

    private long _connections;
    private Task<IPAddress[]>? _lookup;

    internal long Connections => Volatile.Read(ref _connections);

    internal TimeSpan? LongestHold => _loops?.LongestHold;

    /// <summary>What the Host header says.</summary>
    internal string Host { get; } =
        (address.HostNameType == UriHostNameType.IPv6 ? address.Host : address.IdnHost)
        + (address.IsDefaultPort ? "" : string.Create(CultureInfo.InvariantCulture, $":{address.Port}"));

    /// <exception cref="SocketException">No address takes the connection; that of the last one.</exception>
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
                    return await OpenAsync(new IPEndPoint(candidate, address.Port), cancellationToken).ConfigureAwait(false);
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
