namespace Workflow.Abstractions.Stores;

/// <summary>A lane and the batch that it commits.</summary>
public readonly record struct LaneFlush(ILaneStore Lane, FlushBatch Batch);
