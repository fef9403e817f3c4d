namespace Workflow.Engine.Instances;

/// <summary>
/// Suspends and resumes instances. A suspended instance is live and its waits end as usual, but their values stay in
/// the waits.
/// </summary>
internal sealed class SuspensionHandler(InstanceHandler instances, LaneState lane)
{
    /// <returns>Null if the instance is not live here.</returns>
    public InstanceChange? Suspend(Guid id)
    {
        if (lane.Dormancy.Find(id) is not { } instance)
        {
            return null;
        }

        if (instance.State == InstanceState.Suspended)
        {
            return new(id, InstanceState.Suspended, Duplicate: true);
        }

        lane.Batch.Touch(instance);
        instance.State = InstanceState.Suspended;
        instance.UpdatedUtc = lane.Now;
        foreach (var wait in instance.Waits.Where(w => !w.IsReady))
        {
            instances.Waits[wait.Kind].Suspend(instance, wait);
        }

        InstanceHistory.Append(instance, lane.Now, "suspended");
        lane.Batch.Tally.Suspended++;
        instances.RaiseOf(instance, (eventId, stamps) => new InstanceSuspended { Id = eventId, Timestamps = stamps });
        return new(id, InstanceState.Suspended, Duplicate: false);
    }

    /// <returns>Null if the instance is not live here.</returns>
    public InstanceChange? Resume(Guid id)
    {
        if (lane.Dormancy.Find(id) is not { } instance)
        {
            return null;
        }

        if (instance.State != InstanceState.Suspended)
        {
            return new(id, instance.State, Duplicate: true);
        }

        lane.Batch.Touch(instance);
        instance.State = InstanceState.Running;
        InstanceHistory.Append(instance, lane.Now, "resumed");
        lane.Batch.Tally.Resumed++;
        instances.RaiseOf(instance, (eventId, stamps) => new InstanceResumed { Id = eventId, Timestamps = stamps });

        // Schedule all timers again: those that fell due are gone, and the clock may have gone back.
        foreach (var wait in instance.Waits.ToArray())
        {
            if (!wait.IsReady)
            {
                lane.Timers.Schedule(instance, wait);
                instances.Waits[wait.Kind].Wake(instance, wait);
            }
        }

        instances.Tokens.RunReady(instance);
        return new(id, instance.State, Duplicate: false);
    }
}
