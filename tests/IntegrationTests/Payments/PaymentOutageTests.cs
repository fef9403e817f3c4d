using IntegrationTests.RabbitMq;

namespace IntegrationTests.Payments;

/// <summary>A hung broker blocks no caller for ever and loses nothing.</summary>
[Trait("Category", "Extended")]
public sealed class PaymentOutageTests(BackendFixture backends)
{
    [Fact]
    public async Task Unconfirmed_payment_is_answered_in_time_and_completes_later()
    {
        await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var broker = await BrokerTests.OwnAsync();
        await using var host = await PaymentHost.StartAsync(new PaymentSettings
        {
            BrokerConnectionString = broker.ConnectionString,
            BrokerPatience = TimeSpan.FromSeconds(5),
            RepeatAfter = TimeSpan.FromSeconds(1),
        });
        await host.EventAsync<PaymentCompleted>(await host.PayAsync());
        await broker.Host.PauseAsync(Cancel);

        var since = Stopwatch.GetTimestamp();
        var unconfirmed = await host.PayAsync();
        Assert.InRange(Stopwatch.GetElapsedTime(since), TimeSpan.FromSeconds(4.9), TimeSpan.FromSeconds(60));
        await broker.Host.ContinueAsync(Cancel);

        await host.EventAsync<PaymentCompleted>(unconfirmed);
    }
}
