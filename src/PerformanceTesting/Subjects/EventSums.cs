namespace PerformanceTesting.Subjects;

/// <summary>What the events of a subject have taken until a moment.</summary>
/// <param name="DeliverySeconds">From their commit to the first line of the consumer, all of them together, seconds.</param>
/// <param name="Deliveries">Events that this is the sum of.</param>
/// <param name="ConsumerSeconds">How long the consumer worked on events, seconds.</param>
/// <param name="Consumers">Events that it can work on at a time.</param>
public readonly record struct EventSums(double DeliverySeconds, long Deliveries, double ConsumerSeconds, int Consumers);
