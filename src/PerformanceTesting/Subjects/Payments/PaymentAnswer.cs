namespace PerformanceTesting.Subjects.Payments;

/// <summary>What the service answered to a creation.</summary>
/// <param name="Status">HTTP status.</param>
/// <param name="PaymentId">The payment; null where none was made.</param>
/// <param name="Detail">The problem's words; empty where there was none.</param>
internal readonly record struct PaymentAnswer(int Status, Guid? PaymentId, string Detail);
