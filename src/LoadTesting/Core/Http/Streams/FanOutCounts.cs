namespace LoadTesting.Core.Http.Streams;

/// <summary>Counts of publications and deliveries.</summary>
/// <param name="Publications">Publications that were not refused.</param>
/// <param name="Delivered">First deliveries of a publication to a client.</param>
/// <param name="Lost">Missing deliveries.</param>
/// <param name="Doubled">Repeated deliveries.</param>
/// <param name="OutOfOrder">Events that arrived after later ones of their stream.</param>
/// <param name="Gaps">Stream numbers that clients did not receive, between those that they received.</param>
/// <param name="Foreign">Unexpected events.</param>
public sealed record FanOutCounts(
    long Publications, long Delivered, long Lost, long Doubled, long OutOfOrder, long Gaps, long Foreign);
