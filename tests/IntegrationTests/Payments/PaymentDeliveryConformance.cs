using Payments.Contracts;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>Redelivery and a crash at any point lose nothing and repeat nothing.</summary>
public abstract class PaymentDeliveryConformance(PaymentStores stores)
{
    [Fact]
    public async Task Event_that_is_delivered_again_has_no_second_effect()
    {
        await using var host = await PaymentHost.StartAsync(
            await stores.SettingsAsync() with { RepeatAfter = TimeSpan.FromHours(1) });
        var payment = await AddAndPublishAsync(host);
        await host.EventAsync<PaymentCompleted>(payment.Id);
        await Eventually.HoldsAsync(() => host.Events.Count >= 4, "every event of the payment");
        await host.QuietAsync();
        var first = await host.Store.FindAsync(payment.Id, Cancel);
        var published = host.Events.ToArray();

        foreach (var again in published.Concat(published))
        {
            await host.Bus.Publish(again, again.GetType(), Cancel);
        }

        var barrier = await AddAndPublishAsync(host);
        await host.EventAsync<PaymentCompleted>(barrier.Id);
        await Eventually.HoldsAsync(
            () => host.Events.Count(e => e.PaymentId == payment.Id) >= published.Length * 3, "each event again");
        await host.QuietAsync();
        Assert.Equal(4, published.Length);
        Assert.Equal(first, await host.Store.FindAsync(payment.Id, Cancel));
        Assert.Equal(published.Length * 3, host.Events.Count(e => e.PaymentId == payment.Id));
    }

    [Fact]
    public async Task Stored_event_is_published_after_a_while()
    {
        await using var host = await PaymentHost.StartAsync(
            await stores.SettingsAsync() with { RepeatAfter = TimeSpan.FromMilliseconds(200) });
        var payment = New();

        await host.Store.AddAsync(payment, Cancel);

        await host.EventAsync<PaymentInitiated>(payment.Id);
        await host.EventAsync<PaymentCompleted>(payment.Id);
        var published = host.Events.OfType<PaymentInitiated>().First(e => e.PaymentId == payment.Id);
        Assert.Equal(
            (null, null, null),
            (published.Stamps.AcceptedTicks, published.Stamps.ExecutedTicks, published.Stamps.CommittedTicks));
    }

    [Fact]
    public async Task Recovery_continues_after_an_unexpected_error()
    {
        var attempts = 0;
        await using var host = await PaymentHost.StartAsync(
            await stores.SettingsAsync() with { RepeatAfter = TimeSpan.FromMilliseconds(200) },
            store => new FaultyPaymentStore(store)
            {
                Taking = () =>
                {
                    // The first is that of the start.
                    if (Interlocked.Increment(ref attempts) == 2)
                    {
                        throw new InvalidOperationException("25006: cannot execute UPDATE in a read-only transaction");
                    }
                },
            });
        await Eventually.HoldsAsync(() => Volatile.Read(ref attempts) >= 2, "the attempt that fails");
        var payment = New();

        await host.Store.AddAsync(payment, Cancel);

        await host.EventAsync<PaymentCompleted>(payment.Id);
    }

    [Fact]
    public async Task Payment_completed_without_a_reply_is_not_in_flight()
    {
        var lost = 0;
        await using var host = await PaymentHost.StartAsync(
            await stores.SettingsAsync() with { RepeatAfter = TimeSpan.FromMilliseconds(500) },
            store => new FaultyPaymentStore(store)
            {
                Advanced = status =>
                {
                    if (status == PaymentStatus.Completed && Interlocked.Increment(ref lost) == 1)
                    {
                        throw new StoreUnavailableException("The store does not answer.", new IOException());
                    }
                },
            });

        var id = await host.PayAsync();

        await host.EventAsync<PaymentCompleted>(id);
        await host.QuietAsync();
        Assert.Equal(1, lost);
    }

    [Fact]
    public async Task Event_of_an_unknown_payment_does_not_block_others()
    {
        await using var host = await PaymentHost.StartAsync(await stores.SettingsAsync());
        var unknown = New();
        await host.Bus.Publish(Event(unknown), Cancel);

        var payment = await AddAndPublishAsync(host);

        await host.EventAsync<PaymentCompleted>(payment.Id);
        Assert.Null(await host.Store.FindAsync(unknown.Id, Cancel));
    }

    /// <summary>Stores a payment as the API does, and publishes it.</summary>
    private protected static async Task<Payment> AddAndPublishAsync(PaymentHost host)
    {
        var payment = New();
        await host.Store.AddAsync(payment, Cancel);
        await host.Bus.Publish(Event(payment), Cancel);
        return payment;
    }

    private static Payment New()
    {
        var now = TimeProvider.System.GetUtcNow();
        return new Payment
        {
            Id = Guid.CreateVersion7(),
            Amount = 100_000,
            Currency = "GBP",
            CreatedUtc = now,
            ChangedUtc = now,
            PublishedUtc = now,
        };
    }

    private static PaymentInitiated Event(Payment payment) => new()
    {
        PaymentId = payment.Id,
        Amount = payment.Amount,
        Currency = payment.Currency,
        Stamps = new EventStamps { ChangedUtc = payment.ChangedUtc, BootId = "test" },
    };
}
