using System.Net;
using System.Net.Sockets;

namespace PerformanceTesting.Processes;

/// <summary>Ports of 127.0.0.1.</summary>
internal static class LoopbackPort
{
    /// <summary>A port that is free at this moment; whoever takes it is ready for somebody being quicker.</summary>
    public static int Free()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
