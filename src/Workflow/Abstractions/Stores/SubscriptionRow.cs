namespace Workflow.Abstractions.Stores;

/// <summary>The wait of an instance of another partition, kept where its correlation key lives.</summary>
/// <param name="WaitId">The wait.</param>
/// <param name="Partition">Partition of the correlation key.</param>
/// <param name="Name">Signal name.</param>
/// <param name="CorrelationKey">Correlation key.</param>
/// <param name="InstanceId">The waiting instance.</param>
/// <param name="Position">Order in which waits began; the oldest is served first.</param>
public sealed record SubscriptionRow(Guid WaitId, short Partition, string Name, string CorrelationKey, Guid InstanceId, long Position);
