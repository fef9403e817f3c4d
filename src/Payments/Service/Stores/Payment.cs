namespace Payments.Service.Stores;

internal sealed record Payment
{
    public required Guid Id { get; init; }

    /// <summary>In the currency's smallest unit.</summary>
    public required long Amount { get; init; }

    public required string Currency { get; init; }
    public string? CorrelationKey { get; init; }
    public PaymentStatus Status { get; init; } = PaymentStatus.Initiated;
    public Guid? ReceiptId { get; init; }
    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset ChangedUtc { get; init; }

    /// <summary>When the event of its status was last published, or was about to be.</summary>
    public required DateTimeOffset PublishedUtc { get; init; }
}
