using Payments.Contracts;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>
/// Does what another store does, which ends with its owner, and runs what a test has for a call: that throws where the
/// call is to fail.
/// </summary>
internal sealed class FaultyPaymentStore(IPaymentStore inner) : IPaymentStore
{
    /// <summary>Runs when a payment has come to a status; where it throws, the reply is lost.</summary>
    public Action<PaymentStatus> Advanced { get; init; } = _ => { };

    /// <summary>Runs before overdue payments are taken.</summary>
    public Action Taking { get; init; } = () => { };

    public Task PrepareAsync(CancellationToken cancellationToken) => inner.PrepareAsync(cancellationToken);

    public Task AddAsync(Payment payment, CancellationToken cancellationToken) =>
        inner.AddAsync(payment, cancellationToken);

    public Task<Payment> AddOnceAsync(Payment payment, string idempotencyKey, CancellationToken cancellationToken) =>
        inner.AddOnceAsync(payment, idempotencyKey, cancellationToken);

    public Task<Payment?> FindAsync(Guid id, CancellationToken cancellationToken) =>
        inner.FindAsync(id, cancellationToken);

    public async Task<Payment?> AdvanceAsync(
        Guid id, PaymentStatus to, DateTimeOffset nowUtc, CancellationToken cancellationToken)
    {
        var advanced = await inner.AdvanceAsync(id, to, nowUtc, cancellationToken);
        if (advanced is not null)
        {
            Advanced(to);
        }

        return advanced;
    }

    public Task<bool> IssueReceiptAsync(
        Guid id, Guid receiptId, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        inner.IssueReceiptAsync(id, receiptId, nowUtc, cancellationToken);

    public Task<IReadOnlyList<Payment>> TakeOverdueAsync(
        DateTimeOffset publishedBefore, DateTimeOffset nowUtc, int limit, CancellationToken cancellationToken)
    {
        Taking();
        return inner.TakeOverdueAsync(publishedBefore, nowUtc, limit, cancellationToken);
    }

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken) => inner.CountAsync(cancellationToken);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
