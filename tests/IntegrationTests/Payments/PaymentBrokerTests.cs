using System.Net.Sockets;
using Payments.Contracts;

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
    public async Task Broker_that_is_not_there_or_says_nothing_fails_the_start_with_host_and_port_and_without_the_password(bool listens)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        if (!listens)
        {
            listener.Stop();
        }

        await using var service = PaymentHost.Create(
            new PaymentSettings { BrokerConnectionString = $"amqp://ann:hush@127.0.0.1:{port}/", BrokerPatience = Patience });
        var start = Stopwatch.GetTimestamp();

        var error = await Assert.ThrowsAsync<IOException>(() => service.StartAsync(Cancel));

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Patience + TimeSpan.FromSeconds(30));
        Assert.StartsWith($"The RabbitMQ broker at 127.0.0.1:{port} of ConnectionStrings:RabbitMq cannot be used within 2 s", error.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.Message, StringComparison.Ordinal);
    }
}

/// <summary>The suite with events over RabbitMQ.</summary>
[Trait("Category", "Integration")]
public sealed class RabbitMqPaymentDeliveryTests(RabbitMqPaymentStores stores)
    : PaymentDeliveryConformance(stores), IClassFixture<RabbitMqPaymentStores>
{
    [Fact]
    public async Task Payment_that_another_service_completes_is_no_longer_in_flight_at_the_one_that_accepted_it()
    {
        const int Payments = 20;
        var (settings, byTheOther) = (await stores.SettingsAsync(), 0);
        await using var host = await PaymentHost.StartAsync(settings);
        await using var other = PaymentHost.Create(settings, new FaultyPaymentStore(host.Store)
        {
            Advanced = status => Interlocked.Add(ref byTheOther, status == PaymentStatus.Completed ? 1 : 0),
        });
        await other.StartAsync(Cancel);

        for (var i = 0; i < Payments; i++)
        {
            await host.PayAsync();
        }

        await host.QuietAsync();
        Assert.InRange(byTheOther, 1, Payments);
        Assert.Equal(Payments, (await host.Store.CountAsync(Cancel)).Receipts);
    }
}
