using System.Net;
using System.Net.Sockets;
using Workflow.Abstractions.Exceptions;

namespace Workflow.WebService.Activities;

/// <summary>
/// Which hosts the activity <c>http</c> may call. It is asked for each connection, thus after each redirect too, and
/// connects to the very address that it has checked: a name that resolves otherwise a moment later gains nothing.
/// </summary>
/// <param name="allowed">
/// The only hosts that may be called, as <c>host</c> (any port) or <c>host:port</c>; those may have any address. When
/// empty, every host with a public address.
/// </param>
internal sealed class HttpTargets(IReadOnlyList<string> allowed)
{
    /// <summary>
    /// Special-purpose addresses that are not globally reachable, or lead to IPv4 ones (IANA's registries, RFC 6890).
    /// </summary>
    private static readonly IPNetwork[] NotPublic =
    [
        .. new[]
        {
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/3", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
            "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
        }.Select(network => IPNetwork.Parse(network)),
    ];

    /// <summary>Connects to a host, if it may be called.</summary>
    /// <exception cref="NonRetryableActivityException">It may not be called.</exception>
    public async ValueTask<Stream> ConnectAsync(
        SocketsHttpConnectionContext context, CancellationToken cancellationToken)
    {
        var target = context.DnsEndPoint;
        var addresses = await FindAsync(target, cancellationToken);
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(addresses, target.Port, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task<IPAddress[]> FindAsync(DnsEndPoint target, CancellationToken cancellationToken)
    {
        var isListed = allowed.Any(entry => Names(entry, target));
        if (!isListed && allowed.Count > 0)
        {
            throw Refused(target, "is not listed");
        }

        var found = IPAddress.TryParse(target.Host, out var literal)
            ? [literal]
            : await Dns.GetHostAddressesAsync(target.Host, cancellationToken);
        var usable = isListed ? found : [.. found.Where(IsPublic)];
        return usable.Length > 0 ? usable : throw Refused(target, "has no public address and is not listed");
    }

    private static bool Names(string entry, DnsEndPoint target)
    {
        var host = target.Host.Contains(':', StringComparison.Ordinal)
            ? $"[{target.Host.Trim('[', ']')}]"
            : target.Host;
        return entry.Equals(host, StringComparison.OrdinalIgnoreCase)
            || entry.Equals(string.Create(CultureInfo.InvariantCulture, $"{host}:{target.Port}"),
                StringComparison.OrdinalIgnoreCase);
    }

    internal static bool IsPublic(IPAddress address)
    {
        var checkedAddress = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        return !NotPublic.Any(network => network.Contains(checkedAddress));
    }

    private static NonRetryableActivityException Refused(DnsEndPoint target, string why) => new(
        $"The activity http may not call {target.Host}:{target.Port}, which {why}. Add it to Activities:Http:Allow of "
            + "the service.");
}
