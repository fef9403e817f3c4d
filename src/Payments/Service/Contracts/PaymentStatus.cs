using System.Text.Json.Serialization;

namespace Payments.Contracts;

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
