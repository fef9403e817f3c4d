namespace UnitTests.Workflow.Simulation;

/// <summary>A batch of the writer of a lane, with the epoch that the writer has.</summary>
internal sealed record Flush(InMemoryLane Lane, LaneAssignment Assignment, long Epoch, FlushBatch Batch);
