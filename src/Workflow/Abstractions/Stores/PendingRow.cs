namespace Workflow.Abstractions.Stores;

/// <summary>
/// Something live of a lane beside its instances. It is added, read in order of position with its lane, and removed;
/// nothing else.
/// </summary>
/// <param name="Id">
/// One id may come again as another kind: in the commit that handles a message a signal may take its place.
/// </param>
/// <param name="Partition">The partition that it is for.</param>
/// <param name="Position">Order within its kind.</param>
/// <param name="Body">JSON, written and read by the engine alone.</param>
public sealed record PendingRow(Guid Id, short Partition, PendingKind Kind, long Position, string Body);
