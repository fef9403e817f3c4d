namespace Payments.Contracts;

/// <summary>Headers of requests.</summary>
public static class PaymentHeaders
{
    /// <summary>
    /// Optional, 1 to 128 visible ASCII characters: comes back as <see cref="Events.PaymentEvent.CorrelationKey"/>, so that a client can await the
    /// events of a payment before it knows its id.
    /// </summary>
    public const string CorrelationKey = "X-Correlation-Id";
}
