using System.Net.Sockets;

namespace IntegrationTests.Backends;

/// <summary>Ports that servers listen on, and listen on again after a restart.</summary>
public sealed class LoopbackPortTests
{
    [Fact]
    public void Port_is_free_and_outside_the_ephemeral_range()
    {
        const string SystemRange = "/proc/sys/net/ipv4/ip_local_port_range";
        Assert.SkipUnless(File.Exists(SystemRange), "This system does not say which ports it gives away.");
        var systems = File.ReadAllText(SystemRange).Split('\t')
            .Select(port => int.Parse(port, CultureInfo.InvariantCulture)).ToArray();
        Assert.SkipUnless(systems[0] >= 16_000, $"The system gives away all ports from {systems[0]} on.");

        var ports = Enumerable.Range(0, 200).Select(_ => LoopbackPort.Free()).ToList();

        Assert.Equal(ports.Count, ports.Distinct().Count());
        Assert.All(ports, port => Assert.InRange(port, 15_000, systems[0] - 1));
        using var listener = new TcpListener(IPAddress.Loopback, ports[0]);
        listener.Start();
    }

    [Theory]
    [InlineData("32768\t60999\n", 32_000)]
    [InlineData("20000\t65535\n", 20_000)]
    [InlineData("15999\t65535\n", null)]
    [InlineData("1024\t65535\n", null)]
    [InlineData(null, 32_000)]
    public void Range_to_choose_from_ends_below_that_of_the_system(string? systems, int? end) =>
        Assert.Equal(end, LoopbackPort.EndBelow(systems));
}
