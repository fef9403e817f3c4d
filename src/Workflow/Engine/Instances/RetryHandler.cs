namespace Workflow.Engine.Instances;

/// <summary>
/// Retries failed instances. A failed instance is not in memory; its row keeps every token, and a retry loads it again.
/// </summary>
internal sealed class RetryHandler(InstanceHandler instances, LaneState lane)
{
    /// <summary>
    /// Retried failures by the revision of their row, for commands that read the row before the commit of the retry.
    /// </summary>
    private readonly RecentEntries<(Guid Instance, long Revision), bool> _retried = new(capacity: 8_192);

    /// <summary>Continues a failed instance where it stopped, or at the step of the request.</summary>
    /// <param name="row">The committed row of the instance; null if there is none.</param>
    /// <returns>Null if the instance has not failed as far as this lane knows, or cannot be retried.</returns>
    public InstanceChange? Retry(InstanceRow? row, RetryCommand request)
    {
        if (row is not { State: InstanceState.Failed })
        {
            return null;
        }

        var failure = (row.Id, row.Revision);
        if (_retried.Find(failure))
        {
            // Another request came first. The row was read before the commit of that request.
            return new(row.Id, lane.Dormancy.Find(row.Id)?.State ?? row.State, Duplicate: true);
        }

        if (lane.Dormancy.FindResident(row.Id) is not null
            || lane.Host.FindDefinition(row.Definition, row.DefinitionVersion) is not { } definition)
        {
            return null;
        }

        var instance = InstanceCodec.ToInstance(row, definition);
        if (instance.ParentId is not null || (request.Step is { } chosen && !RetrySteps.TryMove(instance, chosen)))
        {
            return null;
        }

        _retried.TryAdd(failure, true);
        lane.Batch.OnRollBack(() => _retried.Remove(failure));
        instances.Residents.Add(instance, lane.Now);
        lane.Batch.Touch(instance);
        lane.Batch.Tally.Retry(lane.Command.AcceptedTicks);
        instance.IsRetried = true;
        instance.State = InstanceState.Running;
        var names = Assign(instance, request.Variables);
        InstanceHistory.Append(instance, lane.Now, "retried", detail: DetailOf(request.Step, names));
        instances.RaiseOf(instance, (id, stamps) => new InstanceRetried
        {
            Id = id, Step = instance.Error?.Step, Timestamps = stamps,
        });
        instance.Error = null;

        // Keep every token among the waits until its turn: an instance without waits would be complete.
        var waits = instance.Waits.Where(w => !w.IsReady).OrderBy(w => TokenHandler.TurnOf(instance, w)).ToArray();
        foreach (var wait in waits)
        {
            // What is inside a sub-process has ended with it.
            if (instance.Waits.Contains(wait))
            {
                RestartWait(instance, wait);
            }
        }

        instances.Tokens.RunReady(instance);
        return new(instance.Id, instance.State, Duplicate: false);
    }

    /// <summary>
    /// Starts a wait of a retried instance again with a new id, so that results for the old wait are ignored.
    /// </summary>
    private void RestartWait(LiveInstance instance, Wait wait)
    {
        instance.Waits.Remove(wait);
        var again = wait with { Id = lane.NewId() };
        if (instances.Waits[wait.Kind].TryEnd(instance, again, out var brought))
        {
            instances.Tokens.KeepEnded(instance, again, brought, error: null);
        }
    }

    private static string? DetailOf(string? step, string? names)
    {
        if (step is null)
        {
            return names;
        }

        return names is null ? $"at {step}" : $"at {step}, with {names}";
    }

    /// <returns>The names of the variables, for the history; null if there are none.</returns>
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
