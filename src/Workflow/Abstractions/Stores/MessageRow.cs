namespace Workflow.Abstractions.Stores;

/// <summary>A durable message from one partition to another, removed in the commit that handles it.</summary>
/// <param name="Id">Id.</param>
/// <param name="Partition">The partition it is for.</param>
/// <param name="Kind">What it asks; the engine's own word.</param>
/// <param name="Body">JSON, written and read by the engine alone.</param>
/// <param name="Position">Order within the sender.</param>
public sealed record MessageRow(Guid Id, short Partition, string Kind, string Body, long Position);
