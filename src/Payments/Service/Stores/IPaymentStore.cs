namespace Payments.Service.Stores;

/// <summary>
/// Holds payments. Every change is atomic and, when its call returns, as durable as the store is. An implementer must
/// not change a payment whose status is not the expected one: consumers rely on that, since the same event may come to
/// them twice and at the same time. Safe for concurrent use.
/// </summary>
/// <remarks>Members throw <see cref="StoreUnavailableException"/> where the store does not answer.</remarks>
internal interface IPaymentStore : IAsyncDisposable
{
    /// <summary>Prepares the store; called once, before any other member.</summary>
    Task PrepareAsync(CancellationToken cancellationToken);

    Task AddAsync(Payment payment, CancellationToken cancellationToken);

    /// <summary>
    /// Adds a payment unless one was added with this key. Returns the one that the store holds with it.
    /// </summary>
    Task<Payment> AddOnceAsync(Payment payment, string idempotencyKey, CancellationToken cancellationToken);

    Task<Payment?> FindAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>
    /// Moves a payment from the status before <paramref name="to"/> to it. Null where its status is another.
    /// </summary>
    Task<Payment?> AdvanceAsync(Guid id, PaymentStatus to, DateTimeOffset nowUtc, CancellationToken cancellationToken);

    /// <summary>
    /// Gives a completed payment its receipt. False where it has one, is not completed or does not exist.
    /// </summary>
    Task<bool> IssueReceiptAsync(Guid id, Guid receiptId, DateTimeOffset nowUtc, CancellationToken cancellationToken);

    /// <summary>
    /// Receiptless payments published before <paramref name="publishedBefore"/>, the oldest; published again now.
    /// </summary>
    Task<IReadOnlyList<Payment>> TakeOverdueAsync(
        DateTimeOffset publishedBefore, DateTimeOffset nowUtc, int limit, CancellationToken cancellationToken);

    Task<PaymentCounts> CountAsync(CancellationToken cancellationToken);
}
