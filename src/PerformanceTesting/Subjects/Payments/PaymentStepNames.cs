namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// The steps of the payment scenarios. Those of the journey follow one another: together they are the journey.
/// </summary>
internal static class PaymentStepNames
{
    /// <summary>The creating request leaves to its 201 is here; it overlaps <see cref="Initiated"/>.</summary>
    public const string Create = "create_payment_request";

    /// <summary>
    /// The creating request leaves to PaymentInitiated. Not from the answer: a fast service's event may come before
    /// that.
    /// </summary>
    public const string Initiated = "payment_initiated";

    /// <summary>PaymentInitiated to PaymentCreated.</summary>
    public const string Created = "payment_created";

    /// <summary>PaymentCreated to PaymentSettled.</summary>
    public const string Settled = "payment_settled";

    /// <summary>PaymentSettled to PaymentCompleted.</summary>
    public const string Completed = "payment_completed";

    /// <summary>A request with an invalid amount leaves to its 400 is here.</summary>
    public const string Reject = "reject_invalid_payment";

    /// <summary>The 201 to the first status answer that says completed.</summary>
    public const string Poll = "poll_until_completed";

    /// <summary>PaymentCompleted to the status answer that says so: what polling adds.</summary>
    public const string SeenLate = "completed_to_seen";
}
