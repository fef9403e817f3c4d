using System.Text.Json.Serialization;

namespace Payments.Contracts;

/// <summary>How far a payment is; it only ever goes on to the next.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PaymentStatus>))]
public enum PaymentStatus
{
    /// <summary>Accepted and stored.</summary>
    [JsonStringEnumMemberName("initiated")]
    Initiated,

    /// <summary>Created with the payment scheme.</summary>
    [JsonStringEnumMemberName("created")]
    Created,

    /// <summary>Settled.</summary>
    [JsonStringEnumMemberName("settled")]
    Settled,

    /// <summary>Over; what follows is its receipt.</summary>
    [JsonStringEnumMemberName("completed")]
    Completed,
}
