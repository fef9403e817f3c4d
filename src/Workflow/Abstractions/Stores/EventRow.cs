namespace Workflow.Abstractions.Stores;

/// <summary>An integration event in the outbox.</summary>
/// <param name="Stream">The lane's stream.</param>
/// <param name="Sequence">From 1, without gaps, in commit order.</param>
/// <param name="Definition">Definition name of the instance, if any.</param>
/// <param name="Body">The event as JSON, in UTF-8; never changed.</param>
public sealed record EventRow(
    int Stream, long Sequence, string Type, string? Definition, byte[] Body, DateTimeOffset CreatedUtc);
