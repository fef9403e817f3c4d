using Payments.Contracts;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>What every store of payments must do.</summary>
public abstract class PaymentStoreConformance(PaymentStores stores) : IAsyncLifetime
{
    private static readonly DateTimeOffset Start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private IPaymentStore _store = null!;

    public async ValueTask InitializeAsync() => _store = await stores.CreateAsync();

    [Fact]
    public async Task Payment_is_found_as_it_was_added()
    {
        var payment = await AddAsync(Start, "key-1");

        Assert.Equal(payment, await _store.FindAsync(payment.Id, Cancel));
        Assert.Null(await _store.FindAsync(Guid.CreateVersion7(), Cancel));
    }

    [Fact]
    public async Task Concurrent_additions_with_one_key_make_one_payment()
    {
        Payment[] payments = [.. Enumerable.Range(0, 16).Select(_ => New(Start))];

        var stored =
            await Task.WhenAll(payments.Select(one => Task.Run(() => _store.AddOnceAsync(one, "once", Cancel))));

        var winner = Assert.Single(stored.Distinct());
        Assert.Contains(winner, payments);
        Assert.Equal(1, (await _store.CountAsync(Cancel)).All);
        var other = New(Start);
        Assert.Equal(other, await _store.AddOnceAsync(other, "twice", Cancel));
        Assert.Equal(winner, await _store.AddOnceAsync(other, "once", Cancel));
    }

    [Fact]
    public async Task Payment_goes_through_its_statuses_one_by_one()
    {
        var payment = await AddAsync(Start);
        foreach (var status in new[] { PaymentStatus.Created, PaymentStatus.Settled, PaymentStatus.Completed })
        {
            var now = Start + TimeSpan.FromSeconds((int)status);
            var advanced = await _store.AdvanceAsync(payment.Id, status, now, Cancel);

            Assert.Equal(payment with { Status = status, ChangedUtc = now, PublishedUtc = now }, advanced);
            Assert.Null(await _store.AdvanceAsync(payment.Id, status, now, Cancel));
        }

        Assert.Null(await _store.AdvanceAsync(payment.Id, PaymentStatus.Created, Start, Cancel));
    }

    [Fact]
    public async Task Status_is_never_skipped()
    {
        var payment = await AddAsync(Start);

        Assert.Null(await _store.AdvanceAsync(payment.Id, PaymentStatus.Settled, Start, Cancel));
        Assert.Null(await _store.AdvanceAsync(payment.Id, PaymentStatus.Completed, Start, Cancel));
        Assert.Equal(PaymentStatus.Initiated, (await _store.FindAsync(payment.Id, Cancel))!.Status);
    }

    [Fact]
    public async Task One_of_many_concurrent_advances_succeeds()
    {
        var payment = await AddAsync(Start);

        var results = await Task.WhenAll(Enumerable.Range(0, 16)
            .Select(_ => Task.Run(() => _store.AdvanceAsync(payment.Id, PaymentStatus.Created, Start, Cancel))));

        Assert.Single(results, advanced => advanced is not null);
    }

    [Fact]
    public async Task Receipt_is_issued_once_and_only_to_a_completed_payment()
    {
        var payment = await AddAsync(Start);
        Assert.False(await _store.IssueReceiptAsync(payment.Id, Guid.CreateVersion7(), Start, Cancel));
        await CompleteAsync(payment);
        var receipts = Enumerable.Range(0, 8).Select(_ => Guid.CreateVersion7()).ToArray();

        var issued = await Task.WhenAll(
            receipts.Select(id => Task.Run(() => _store.IssueReceiptAsync(payment.Id, id, Start, Cancel))));

        var winner = receipts[Array.IndexOf(issued, true)];
        Assert.Single(issued, one => one);
        Assert.Equal(winner, (await _store.FindAsync(payment.Id, Cancel))!.ReceiptId);
    }

    [Fact]
    public async Task Overdue_payments_are_each_taken_once()
    {
        var old = await AddAsync(Start);
        var finished = await AddAsync(Start);
        await CompleteAsync(finished);
        await _store.IssueReceiptAsync(finished.Id, Guid.CreateVersion7(), Start, Cancel);
        var recent = await AddAsync(Start + TimeSpan.FromSeconds(10));
        var (limit, now) = (Start + TimeSpan.FromSeconds(5), Start + TimeSpan.FromSeconds(60));

        Assert.Equal([old.Id], (await _store.TakeOverdueAsync(limit, now, 10, Cancel)).Select(p => p.Id));
        Assert.Empty(await _store.TakeOverdueAsync(limit, now, 10, Cancel));
        Assert.Equal([recent.Id], (await _store.TakeOverdueAsync(now, now, 10, Cancel)).Select(p => p.Id));
    }

    [Fact]
    public async Task Overdue_are_taken_in_portions_the_oldest_first()
    {
        var payments = new List<Guid>();
        for (var second = 0; second < 5; second++)
        {
            payments.Add((await AddAsync(Start + TimeSpan.FromSeconds(second))).Id);
        }

        var now = Start + TimeSpan.FromSeconds(60);

        Assert.Equal(
            payments[..3].Order(), (await _store.TakeOverdueAsync(now, now, 3, Cancel)).Select(p => p.Id).Order());
        Assert.Equal(
            payments[3..].Order(), (await _store.TakeOverdueAsync(now, now, 3, Cancel)).Select(p => p.Id).Order());
    }

    [Fact]
    public async Task Counts_say_how_far_payments_are()
    {
        await AddAsync(Start);
        var completed = await AddAsync(Start);
        await CompleteAsync(completed);
        var finished = await AddAsync(Start);
        await CompleteAsync(finished);
        await _store.IssueReceiptAsync(finished.Id, Guid.CreateVersion7(), Start, Cancel);

        Assert.Equal(new PaymentCounts(All: 3, Completed: 2, Receipts: 1), await _store.CountAsync(Cancel));
    }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_store is not null)
        {
            await _store.DisposeAsync();
        }
    }

    private async Task<Payment> AddAsync(DateTimeOffset now, string? key = null)
    {
        var payment = New(now, key);
        await _store.AddAsync(payment, Cancel);
        return payment;
    }

    private static Payment New(DateTimeOffset now, string? key = null)
    {
        var (id, amount, currency) = (Guid.CreateVersion7(), 100_000, "GBP");
        return new Payment
        {
            Id = id, Amount = amount, Currency = currency, CorrelationKey = key, CreatedUtc = now, ChangedUtc = now,
            PublishedUtc = now,
        };
    }

    private async Task CompleteAsync(Payment payment)
    {
        foreach (var status in new[] { PaymentStatus.Created, PaymentStatus.Settled, PaymentStatus.Completed })
        {
            Assert.NotNull(await _store.AdvanceAsync(payment.Id, status, Start, Cancel));
        }
    }
}
