namespace Payments.Contracts;

/// <summary>Body of <c>GET /api/payment/{id}</c>.</summary>
/// <param name="Amount">In the currency's smallest unit.</param>
/// <param name="Currency">ISO 4217 code.</param>
/// <param name="ReceiptId">Its receipt, issued once after it completed; null until then.</param>
public sealed record PaymentResponse(
    Guid PaymentId, long Amount, string Currency, PaymentStatus Status, Guid? ReceiptId, DateTimeOffset CreatedUtc,
    DateTimeOffset ChangedUtc);
