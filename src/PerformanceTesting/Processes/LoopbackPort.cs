using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace PerformanceTesting.Processes;

/// <summary>Ports for servers, which have them to themselves: also one that starts again finds its port free.</summary>
internal static class LoopbackPort
{
    private const int First = 15_000;
    private const int Last = 32_000;
    private const int Attempts = 50;
    private const int LeastRoom = 1_000;
    private const string SystemRange = "/proc/sys/net/ipv4/ip_local_port_range";
    private static readonly ConcurrentDictionary<int, bool> Chosen = new();
    private static readonly int? End = EndBelow(File.Exists(SystemRange) ? File.ReadAllText(SystemRange) : null);

    /// <summary>
    /// A port that is free at this moment, that the system gives to nobody by itself, and that was not chosen in this
    /// process before. Where the system's own leave no room it is one of those. Another process may still be quicker to
    /// take it.
    /// </summary>
    /// <param name="address">Where it has to be free; null is 127.0.0.1.</param>
    public static int Free(IPAddress? address = null)
    {
        for (var attempt = 0; End is { } end && attempt < Attempts; attempt++)
        {
            var port = RandomNumberGenerator.GetInt32(First, end);
            if (Chosen.TryAdd(port, true) && TryBind(address, port) is { } free)
            {
                return free;
            }
        }

        return TryBind(address, 0)
            ?? throw new BackendException($"The system has no free port for {address ?? IPAddress.Loopback}.");
    }

    /// <summary>The end of the range to choose from; null if the range is too small.</summary>
    /// <param name="systemRange">
    /// First and last port that the system gives to connections and to listeners that ask for any (ip(7)); null where
    /// it does not say.
    /// </param>
    internal static int? EndBelow(string? systemRange)
    {
        var first = systemRange is null ? Last : int.Parse(systemRange.Split()[0], CultureInfo.InvariantCulture);
        return Math.Min(first, Last) is var end && end >= First + LeastRoom ? end : null;
    }

    /// <returns>Null if the port is taken or not allowed.</returns>
    private static int? TryBind(IPAddress? address, int port)
    {
        using var listener = new TcpListener(address ?? IPAddress.Loopback, port);
        try
        {
            listener.Start();
            return ((IPEndPoint)listener.LocalEndpoint).Port;
        }
        catch (SocketException error)
            when (error.SocketErrorCode is SocketError.AddressAlreadyInUse or SocketError.AccessDenied)
        {
            return null;
        }
    }
}
