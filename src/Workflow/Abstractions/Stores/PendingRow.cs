namespace Workflow.Abstractions.Stores;

/// <summary>
/// Live state of a lane beside its instances. Rows are added, read with the lane in order of position, and removed;
/// they never change.
/// </summary>
/// <param name="Id">
/// The same id may return with another kind: a commit that handles a message may add a signal with its id.
/// </param>
/// <param name="Partition">The partition that receives the row.</param>
/// <param name="Position">The order within the kind.</param>
/// <param name="Body">JSON. Only the engine reads and writes it.</param>
public sealed record PendingRow(Guid Id, short Partition, PendingKind Kind, long Position, string Body);
