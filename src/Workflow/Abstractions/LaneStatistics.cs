namespace Workflow.Abstractions;

/// <summary>What one lane has to do now, and what it has committed since it was taken over.</summary>
/// <param name="Lane">Its number, from 0.</param>
/// <param name="PendingCommands">
/// Accepted and not yet committed: in its mailbox, its open batch and its flush in flight.
/// </param>
/// <param name="FlushingCommands">Of these, in the flush that is in flight; 0 while none is.</param>
/// <param name="LiveInstances">Its instances, resident and dormant.</param>
/// <param name="InFlight">Instances from their acceptance until their last event was handed on.</param>
/// <param name="Flushes">Batches committed.</param>
/// <param name="FlushedCommands">Commands in them.</param>
/// <param name="Reloads">How often it was read again from the store.</param>
/// <param name="StalledSeconds">How long it has had work and committed none of it; 0 while it has none.</param>
public sealed record LaneStatistics(
    int Lane, int PendingCommands, int FlushingCommands, long LiveInstances, long InFlight, long OpenTasks,
    int BufferedSignals,
    int DeadLetters, long Flushes, long FlushedCommands, long FailedFlushes, long Reloads, double StalledSeconds);
