namespace Payments.Contracts;

public static class PaymentHeaders
{
    /// <summary>
    /// Optional, 1 to 128 visible ASCII characters: comes back as <see cref="Events.PaymentEvent.CorrelationKey"/>, so
    /// that a client can await the events of a payment before it knows its id.
    /// </summary>
    public const string CorrelationKey = "X-Correlation-Id";

    /// <summary>
    /// Optional, 1 to 128 visible ASCII characters: a creation that is repeated with it makes no second payment, and
    /// its answer names the first one; 409 where amount or currency are others.
    /// </summary>
    public const string IdempotencyKey = "Idempotency-Key";
}
