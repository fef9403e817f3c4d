using Payments.Contracts;

namespace IntegrationTests.Payments;

/// <summary>The suite with events over RabbitMQ.</summary>
[Trait("Category", "Integration")]
public sealed class RabbitMqPaymentDeliveryTests(RabbitMqPaymentStores stores)
    : PaymentDeliveryConformance(stores), IClassFixture<RabbitMqPaymentStores>
{
    [Fact]
    public async Task Payment_completed_by_another_service_is_not_in_flight()
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
