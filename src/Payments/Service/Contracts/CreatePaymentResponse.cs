namespace Payments.Contracts;

/// <summary>
/// Body of the 201 that answers <c>POST /api/payment/create</c>: the payment is stored, and its events follow.
/// </summary>
/// <param name="PaymentId">The payment; <c>Location</c> holds where its status is.</param>
public sealed record CreatePaymentResponse(Guid PaymentId);
