namespace Workflow.Engine.Instances;

/// <summary>Suspend and resume. A suspended instance is live, and its waits end as ever, but what they bring stays in them.</summary>
internal sealed class SuspensionHandler(InstanceHandler instances, LaneContext lane)
{
    /// <returns>Null when the instance is not live here.</returns>
    public InstanceChange? Suspend(Guid id)
    {
        if (instances.Live.GetValueOrDefault(id) is not { } instance)
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

    /// <returns>Null when the instance is not live here.</returns>
    public InstanceChange? Resume(Guid id)
    {
        if (instances.Live.GetValueOrDefault(id) is not { } instance)
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

        // Its timers are set again, since those that fell due are gone. Not only what is due now: the clock may have gone back.
        foreach (var wait in instance.Waits.ToArray())
        {
            if (!wait.IsReady)
            {
                instances.Waits.Timers.Set(instance, wait);
                instances.Waits[wait.Kind].Wake(instance, wait);
            }
        }

        instances.Tokens.RunReady(instance);
        return new(id, instance.State, Duplicate: false);
    }
}

/// <summary>Retry. A failed instance is in no memory; its row keeps every token, and a retry brings it back.</summary>
internal sealed class RetryHandler(InstanceHandler instances, LaneContext lane)
{
    /// <summary>Failures that were retried, by the revision of their row: who has read that row before the commit finds it here.</summary>
    private readonly RecentEntries<(Guid Instance, long Revision), bool> _retried = new(capacity: 8_192);

    /// <summary>A failed instance goes on where it stopped.</summary>
    /// <param name="row">The instance as committed; null when there is none.</param>
    /// <param name="variables">Set before it goes on: a context, or null.</param>
    /// <returns>Null when it has not failed, as far as this lane knows, or cannot be retried.</returns>
    public InstanceChange? Retry(InstanceRow? row, Value variables)
    {
        if (row is not { State: InstanceState.Failed })
        {
            return null;
        }

        var failure = (row.Id, row.Revision);
        if (_retried.Find(failure))
        {
            // Another request was first; the row was read before its commit.
            return new(row.Id, instances.Live.GetValueOrDefault(row.Id)?.State ?? row.State, Duplicate: true);
        }

        if (instances.Live.ContainsKey(row.Id) || lane.Host.FindDefinition(row.Definition, row.DefinitionVersion) is not { } definition)
        {
            return null;
        }

        var instance = InstanceCodec.ToInstance(row, definition);
        if (instance.ParentId is not null)
        {
            return null;
        }

        _retried.TryAdd(failure, true);
        lane.Batch.OnRollBack(() => _retried.Remove(failure));
        instances.Live.Add(instance.Id, instance);
        lane.Batch.Touch(instance);
        lane.Batch.Tally.Retry(lane.Command.AcceptedTicks);
        instance.IsRetried = true;
        instance.State = InstanceState.Running;
        var names = Assign(instance, variables);
        InstanceHistory.Append(instance, lane.Now, "retried", detail: names);
        instances.RaiseOf(instance, (id, stamps) => new InstanceRetried { Id = id, Step = instance.Error?.Step, Timestamps = stamps });
        instance.Error = null;

        // Every token stays among the waits until its turn comes: an instance without any would be complete.
        foreach (var wait in instance.Waits.Where(w => !w.IsReady).OrderBy(w => TokenHandler.TurnOf(instance, w)).ToArray())
        {
            // What is inside of a sub-process has ended with it.
            if (instance.Waits.Contains(wait))
            {
                BeginAgain(instance, wait);
            }
        }

        instances.Tokens.RunReady(instance);
        return new(instance.Id, instance.State, Duplicate: false);
    }

    /// <summary>A wait of an instance that is retried begins again, as another one: what is on its way to the first is too late.</summary>
    private void BeginAgain(LiveInstance instance, Wait wait)
    {
        instance.Waits.Remove(wait);
        var again = wait with { Id = lane.NewId() };
        if (instances.Waits[wait.Kind].TryEnd(instance, again, out var brought))
        {
            instances.Tokens.KeepEnded(instance, again, brought, error: null);
        }
    }

    /// <returns>The names of the variables, for the history; null where there are none.</returns>
    private static string? Assign(LiveInstance instance, Value variables)
    {
        if (variables.IsNull)
        {
            return null;
        }

        foreach (var (name, value) in variables.AsContext())
        {
            instance.Assign(name, value);
        }

        return string.Join(", ", variables.AsContext().Keys.Order(StringComparer.Ordinal));
    }
}
