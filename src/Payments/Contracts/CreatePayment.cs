namespace Payments.Contracts;

/// <summary>Body of <c>POST /api/payment/create</c>. All else in it is refused.</summary>
/// <param name="Amount">In the currency's smallest unit (pence, cents), 1 to 1,000,000,000,000. Otherwise 400.</param>
/// <param name="Currency">ISO 4217 code in capitals, one that the service is configured with. Otherwise 400.</param>
public sealed record CreatePaymentRequest(long Amount, string Currency);

/// <summary>Body of the 201 that answers <c>POST /api/payment/create</c>: the payment is stored, and its events follow.</summary>
/// <param name="PaymentId">The payment; <c>Location</c> holds where its status is.</param>
public sealed record CreatePaymentResponse(Guid PaymentId);

public static class PaymentHeaders
{
    /// <summary>
    /// Optional, 1 to 128 visible ASCII characters: comes back as <see cref="Events.PaymentEvent.CorrelationKey"/>, so that a client can
    /// await the events of a payment before it knows its id.
    /// </summary>
    public const string CorrelationKey = "X-Correlation-Id";

    /// <summary>
    /// Optional, 1 to 128 visible ASCII characters: a creation that is repeated with it makes no second payment, and its answer names the
    /// first one; 409 where amount or currency are others.
    /// </summary>
    public const string IdempotencyKey = "Idempotency-Key";
}
