namespace Workflow.Contracts.Bulk;

/// <summary>Body of the routes that act on many instances or dead letters.</summary>
public sealed record BulkRequest
{
    /// <summary>1 to 1,000 ids. An id that is repeated counts once.</summary>
    public required IReadOnlyList<Guid> Ids { get; init; }
}
