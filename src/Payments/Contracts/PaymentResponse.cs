namespace Payments.Contracts;

/// <summary>Body of <c>GET /api/payment/{id}</c>.</summary>
/// <param name="PaymentId">The payment.</param>
/// <param name="Amount">In the currency's smallest unit.</param>
/// <param name="Currency">ISO 4217 code.</param>
/// <param name="Status">How far it is.</param>
/// <param name="ReceiptId">Its receipt, issued once after it completed; null until then.</param>
/// <param name="CreatedUtc">When it was accepted, UTC.</param>
/// <param name="ChangedUtc">When its status or receipt changed last, UTC.</param>
public sealed record PaymentResponse(
    Guid PaymentId, long Amount, string Currency, PaymentStatus Status, Guid? ReceiptId, DateTimeOffset CreatedUtc, DateTimeOffset ChangedUtc);
