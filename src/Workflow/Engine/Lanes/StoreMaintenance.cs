namespace Workflow.Engine.Lanes;

/// <summary>Maintains the store of an engine and removes expired data, on one node.</summary>
/// <param name="isOwner">Whether this node owns the first lane and therefore does the maintenance.</param>
internal sealed class StoreMaintenance(
    IWorkflowStore store, RetentionOptions retention, TimeProvider time, ILogger logger, Func<bool> isOwner,
    Func<long> flushes)
{
    private static readonly TimeSpan Upkeep = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Idle = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Removes one portion at a time and adapts to the rate at which portions fill: a full portion halves the pause,
    /// any other doubles it. The data of a minute is therefore removed over a minute and not all at once. Data that
    /// cannot fill a portion waits for a minute.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var shortest = Math.Max(retention.Pause.Ticks, TimeSpan.TicksPerMillisecond);
        var longest = Math.Max(retention.Pause.Ticks, Upkeep.Ticks);
        var (pause, maintained, trimmed) = (longest, time.GetTimestamp(), time.GetTimestamp());
        var (isFull, seen) = (false, flushes());
        while (true)
        {
            await Task.Delay(TimeSpan.FromTicks(pause), time, cancellationToken);
            if (!isOwner())
            {
                pause = longest;
                continue;
            }

            try
            {
                if (time.GetElapsedTime(maintained) >= Upkeep)
                {
                    maintained = time.GetTimestamp();
                    await store.MaintainAsync(cancellationToken);
                }

                if (isFull || flushes() - seen >= retention.Portion || time.GetElapsedTime(trimmed) >= Idle)
                {
                    (seen, trimmed) = (flushes(), time.GetTimestamp());
                    isFull = await store.TrimAsync(Request(), cancellationToken);
                }

                pause = Math.Clamp(isFull ? pause / 2 : pause * 2, shortest, longest);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                (pause, isFull) = (longest, false);
                Log.TrimFailed(logger, e);
            }
        }
    }

    private TrimRequest Request()
    {
        var now = time.GetUtcNow();
        return new()
        {
            EventsBeforeUtc = now - retention.Events,
            KeysBeforeUtc = now - retention.Keys,
            ReplayedBeforeUtc = now - retention.DeadLetters,
            FinishedBeforeUtc = now - retention.FinishedInstances,
            Limit = retention.Portion,
        };
    }
}
