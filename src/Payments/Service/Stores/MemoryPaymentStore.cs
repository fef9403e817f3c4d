namespace Payments.Service.Stores;

internal sealed class MemoryPaymentStore : IPaymentStore
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, Payment> _payments = [];
    private readonly Dictionary<string, Guid> _keys = [];

    public Task PrepareAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task AddAsync(Payment payment, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _payments.Add(payment.Id, payment);
        }

        return Task.CompletedTask;
    }

    public Task<Payment> AddOnceAsync(Payment payment, string idempotencyKey, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_keys.TryAdd(idempotencyKey, payment.Id))
            {
                _payments.Add(payment.Id, payment);
            }

            return Task.FromResult(_payments[_keys[idempotencyKey]]);
        }
    }

    public Task<Payment?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return Task.FromResult(_payments.GetValueOrDefault(id));
        }
    }

    public Task<Payment?> AdvanceAsync(
        Guid id, PaymentStatus to, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        Task.FromResult(
            Change(id, p => p.Status == to - 1,
                p => p with { Status = to, ChangedUtc = nowUtc, PublishedUtc = nowUtc }));

    public Task<bool> IssueReceiptAsync(
        Guid id, Guid receiptId, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        Task.FromResult(Change(
            id, p => p is { Status: PaymentStatus.Completed, ReceiptId: null },
            p => p with { ReceiptId = receiptId, ChangedUtc = nowUtc }) is not null);

    public Task<IReadOnlyList<Payment>> TakeOverdueAsync(
        DateTimeOffset publishedBefore, DateTimeOffset nowUtc, int limit, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            Payment[] overdue = [.. _payments.Values.Where(p => p.ReceiptId is null && p.PublishedUtc < publishedBefore)
                .OrderBy(p => p.PublishedUtc)
                .Take(limit)];
            foreach (var payment in overdue)
            {
                _payments[payment.Id] = payment with { PublishedUtc = nowUtc };
            }

            return Task.FromResult<IReadOnlyList<Payment>>(overdue);
        }
    }

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return Task.FromResult(new PaymentCounts(
                _payments.Count, _payments.Values.Count(p => p.Status == PaymentStatus.Completed),
                _payments.Values.Count(p => p.ReceiptId is not null)));
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private Payment? Change(Guid id, Func<Payment, bool> isExpected, Func<Payment, Payment> change)
    {
        lock (_gate)
        {
            return _payments.TryGetValue(id, out var payment) && isExpected(payment)
                ? _payments[id] = change(payment)
                : null;
        }
    }
}
