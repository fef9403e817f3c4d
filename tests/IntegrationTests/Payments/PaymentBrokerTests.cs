using System.Net.Sockets;

namespace IntegrationTests.Payments;

/// <summary>A broker that is not available is reported at the start, and not waited for without end.</summary>
[Trait("Category", "Integration")]
public sealed class PaymentBrokerTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    [Fact]
    public void Start_gives_the_broker_less_than_ten_seconds() =>
        Assert.InRange(new PaymentSettings().BrokerPatience, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(9));

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Unreachable_broker_fails_the_start_with_host_and_port(bool listens)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        if (!listens)
        {
            listener.Stop();
        }

        await using var service = PaymentHost.Create(
            new PaymentSettings
            {
                BrokerConnectionString = $"amqp://ann:hush@127.0.0.1:{port}/", BrokerPatience = Patience,
            });
        var start = Stopwatch.GetTimestamp();

        var error = await Assert.ThrowsAsync<IOException>(() => service.StartAsync(Cancel));

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Patience + TimeSpan.FromMinutes(1));
        Assert.StartsWith($"The RabbitMQ broker at 127.0.0.1:{port} of "
            + "ConnectionStrings:RabbitMq cannot be used within 2 s", error.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.Message, StringComparison.Ordinal);
    }
}
