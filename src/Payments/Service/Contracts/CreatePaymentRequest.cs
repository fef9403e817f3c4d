namespace Payments.Contracts;

/// <summary>Body of <c>POST /api/payment/create</c>. All else in it is refused.</summary>
/// <param name="Amount">In the currency's smallest unit (pence, cents), 1 to 1,000,000,000,000. Otherwise 400.</param>
/// <param name="Currency">ISO 4217 code in capitals, one that the service is configured with. Otherwise 400.</param>
public sealed record CreatePaymentRequest(long Amount, string Currency);
