using System.Text.Json.Serialization;

namespace Payments.Contracts;

/// <summary>Body of <c>GET /api/payment/{id}</c>.</summary>
/// <param name="Amount">In the currency's smallest unit.</param>
/// <param name="Currency">ISO 4217 code.</param>
/// <param name="ReceiptId">Its receipt, issued once after it completed; null until then.</param>
public sealed record PaymentResponse(
    Guid PaymentId, long Amount, string Currency, PaymentStatus Status, Guid? ReceiptId, DateTimeOffset CreatedUtc,
    DateTimeOffset ChangedUtc);

/// <summary>The status of a payment, which only advances to the next one.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PaymentStatus>))]
public enum PaymentStatus
{
    /// <summary>Accepted and stored.</summary>
    [JsonStringEnumMemberName("initiated")]
    Initiated,

    /// <summary>Created with the payment scheme.</summary>
    [JsonStringEnumMemberName("created")]
    Created,

    [JsonStringEnumMemberName("settled")]
    Settled,

    /// <summary>Completed; the receipt follows.</summary>
    [JsonStringEnumMemberName("completed")]
    Completed,
}
