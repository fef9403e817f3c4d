namespace Workflow.Contracts.Bulk;

/// <summary>
/// Answer of the routes that act on many instances or dead letters. Each item succeeds or fails alone.
/// </summary>
/// <param name="Items">In the order of the request.</param>
public sealed record BulkReport(IReadOnlyList<BulkItem> Items);

/// <summary>What became of one item.</summary>
/// <param name="Code">
/// The error code of an item that was not done, as a single request has it; absent otherwise.
/// </param>
/// <param name="Detail">The reason; absent where there is no code.</param>
public sealed record BulkItem(Guid Id, BulkOutcome Outcome, string? Code = null, string? Detail = null);
