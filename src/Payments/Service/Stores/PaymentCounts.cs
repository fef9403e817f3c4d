namespace Payments.Service.Stores;

/// <summary>How many payments a store holds.</summary>
/// <param name="Receipts">Those with a receipt: nothing is left to do for them.</param>
internal sealed record PaymentCounts(long All, long Completed, long Receipts);
