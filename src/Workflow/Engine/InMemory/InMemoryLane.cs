namespace Workflow.Engine.InMemory;

/// <summary>The writer of one lane: checks every guard first, then changes everything, under one lock.</summary>
internal sealed class InMemoryLane(InMemoryTables tables, LaneAssignment assignment)
    : ILaneStore, IDormantInstances
{
    private long _epoch;

    public IDormantInstances Dormant => this;

    public Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            var lane = tables.LaneOf(assignment.Index);
            _epoch = ++lane.Epoch;
            tables.DivideAmong(assignment.Count);
            var dormant = lane.Dormant ?? tables.CountDormant(assignment);
            return Task.FromResult(new LaneSnapshot
            {
                LastBatch = lane.LastBatch,
                Epoch = _epoch,
                LastSequence = lane.LastSequence,
                PublishedSequence = lane.PublishedSequence,
                Instances = tables.Live.Values.LongCount(i => assignment.Owns(i.Partition)),
                Pending = [.. tables.Pending.Values.Where(p => assignment.Owns(p.Partition)).OrderBy(p => p.Position)],
                LastMessagePosition = tables.Pending.Values.Where(p => p.Kind == PendingKind.Message)
                    .Select(p => p.Position)
                    .DefaultIfEmpty().Max(),
                LastPosition = tables.LastPosition,
                DormantInstances = dormant.Instances,
                DormantTasks = dormant.Tasks,
                DeadLetters =
                    [.. tables.DeadLetters.Values.Where(l => l.Applied is null && assignment.Owns(l.Partition))
                        .OrderBy(l => l.Id)],
            });
        }
    }

    public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
        FlushAsync(tables, [new(this, batch)]);

    public static Task FlushAsync(InMemoryTables tables, IReadOnlyList<LaneFlush> flushes)
    {
        lock (tables.Gate)
        {
            foreach (var (lane, batch) in flushes)
            {
                ((InMemoryLane)lane).Guard(batch);
            }

            if (flushes.Count > 1)
            {
                var keys = flushes.SelectMany(f => f.Batch.Keys).Select(k => k.Key).ToArray();
                Expect(keys.Distinct(StringComparer.Ordinal).Count() == keys.Length, "idempotency keys are new",
                    FlushFailure.Conflict);
            }

            foreach (var (lane, batch) in flushes)
            {
                ((InMemoryLane)lane).Apply(batch);
            }
        }

        return Task.CompletedTask;
    }

    public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            return Task.FromResult<IReadOnlyList<InstanceRow>>(
                [.. tables.Live.Values
                    .Where(i => assignment.Owns(i.Partition) && partitions.Contains(i.Partition))
                    .OrderBy(i => i.CreatedUtc)]);
        }
    }

    public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            IReadOnlyList<IdempotencyRow> found = [.. keys.Where(tables.Keys.ContainsKey).Select(k => tables.Keys[k])];
            return Task.FromResult(found);
        }
    }

    public Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            var named = lookup.Instances
                .Concat(lookup.Tasks.Select(tables.Tasks.GetValueOrDefault).OfType<TaskRow>()
                    .Where(task => task.State == TaskState.Open).Select(task => task.InstanceId))
                .Concat(lookup.Slots
                    .SelectMany(slot => tables.DormantBySlot.GetViewBetween(
                        (slot, Guid.Empty), (slot, Guid.AllBitsSet)))
                    .Select(wait => tables.DormantWaits[new(wait.Slot, wait.WaitId)]));
            return Task.FromResult<IReadOnlyList<InstanceRow>>(
                [.. named.Distinct().Select(tables.Dormant.GetValueOrDefault).OfType<InstanceRow>()
                    .Where(row => assignment.Owns(row.Partition))]);
        }
    }

    public Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            var first = after ?? (DateTimeOffset.MinValue, Guid.Empty);
            if (first.DueUtc > until)
            {
                return Task.FromResult<IReadOnlyList<DormantDue>>([]);
            }

            return Task.FromResult<IReadOnlyList<DormantDue>>(
                [.. tables.DormantByDue.GetViewBetween(first, (until, Guid.AllBitsSet))
                    .Where(due => due != after && assignment.Owns(tables.Dormant[due.Id].Partition))
                    .Take(limit)
                    .Select(due => new DormantDue(tables.Dormant[due.Id], due.DueUtc))]);
        }
    }

    public Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            return Task.FromResult<IReadOnlyList<long>>(
                DormantWait.SlotsOf(partition, after) is var (first, last)
                    ? [.. tables.DormantBySlot.GetViewBetween((first, Guid.Empty), (last, Guid.AllBitsSet))
                        .Take(limit).Select(wait => wait.Slot)]
                    : []);
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Apply(FlushBatch batch)
    {
        batch.PendingRemoved.ForEach(id => tables.Pending.Remove(id));
        foreach (var wait in batch.DormantWaitsRemoved)
        {
            tables.DormantWaits.Remove(wait);
            tables.DormantBySlot.Remove((wait.Slot, wait.WaitId));
        }

        batch.Pending.ForEach(p => tables.Pending.Add(p.Id, p));
        batch.Instances.ForEach(Write);
        batch.Dormant.ForEach(MakeDormant);
        if (HasTasks(batch))
        {
            AddTasks(batch);
        }

        batch.DeadLetters.ForEach(l => tables.DeadLetters[l.Id] = l is DeadLetterChange change
            ? tables.DeadLetters[l.Id].With(change) : (DeadLetterRow)l);
        batch.Keys.ForEach(k =>
        {
            tables.Keys.Add(k.Key, k);
            tables.KeysByAge.Enqueue(k);
        });
        tables.Events.TryAdd(assignment.Index, []);
        tables.Events[assignment.Index].AddRange(batch.Events);
        var lane = tables.LaneOf(assignment.Index);
        lane.LastBatch = batch.Number;
        lane.LastSequence = batch.LastSequence;
        lane.PublishedSequence = batch.PublishedSequence;
        lane.LastPosition = batch.LastPosition;
        lane.Dormant = (batch.DormantInstances, batch.DormantTasks);
    }

    private void Guard(FlushBatch batch)
    {
        var lane = tables.LaneOf(assignment.Index);
        if (lane.Epoch != _epoch)
        {
            throw new FlushException(
                FlushFailure.Fenced, $"Lane {assignment.Index} has epoch {lane.Epoch}; this writer has {_epoch}.");
        }

        Expect(lane.LastBatch + 1 == batch.Number, $"batch {batch.Number} follows {lane.LastBatch}");
        Expect(batch.Instances.TrueForAll(IsReplaceable), "instances are in the store what they replace");
        Expect(batch.PendingRemoved.TrueForAll(tables.Pending.ContainsKey), "removed pending rows are stored");
        Expect(batch.Pending.TrueForAll(p => !tables.Pending.ContainsKey(p.Id) || batch.PendingRemoved.Contains(p.Id)),
            "added pending rows are new");
        if (batch.Dormant.Count + batch.DormantWaitsRemoved.Count > 0)
        {
            GuardDormant(batch);
        }

        Expect(batch.DeadLetters.TrueForAll(IsWritable), "dead letters are new, or open where they change");
        Expect(batch.Keys.TrueForAll(k => !tables.Keys.ContainsKey(k.Key)), "idempotency keys are new",
            FlushFailure.Conflict);
        if (HasTasks(batch))
        {
            Expect(batch.Tasks.TrueForAll(IsWritable), "tasks are new, or open where they change");
            Expect(batch.Children.TrueForAll(c =>
                !tables.Children.GetValueOrDefault(c.ParentId, []).Contains(c.ChildId)),
                "called sub-workflows are new");
        }
    }

    private void GuardDormant(FlushBatch batch)
    {
        Expect(batch.Dormant.TrueForAll(d => tables.Live.GetValueOrDefault(d.Id)?.Revision == d.Revision)
            && batch.Dormant.DistinctBy(d => d.Id).Count() == batch.Dormant.Count,
            "instances that become dormant are live with their revision");
        Expect(batch.DormantWaitsRemoved.TrueForAll(tables.DormantWaits.ContainsKey)
            && batch.DormantWaitsRemoved.Distinct().Count() == batch.DormantWaitsRemoved.Count,
            "removed waits of dormant instances are stored");
        var added = batch.Dormant.SelectMany(d => d.Waits).ToArray();
        Expect(Array.TrueForAll(
                added, wait => !tables.DormantWaits.ContainsKey(wait) || batch.DormantWaitsRemoved.Contains(wait))
            && added.Distinct().Count() == added.Length,
            "added waits of dormant instances are new");
    }

    private bool IsReplaceable(InstanceWrite write)
    {
        var row = write.Row;
        var stored = TableOf(write.Origin).GetValueOrDefault(row.Id);
        return write.Origin == InstanceOrigin.New
            ? stored is null && !(row.IsOver && tables.Finished.ContainsKey(row.Id))
            : stored?.Revision == row.Revision - 1
                && (write.Origin != InstanceOrigin.Failed || stored.State == InstanceState.Failed);
    }

    /// <summary>Where an instance of this origin is stored before the batch.</summary>
    private Dictionary<Guid, InstanceRow> TableOf(InstanceOrigin origin) => origin switch
    {
        InstanceOrigin.Failed => tables.Finished,
        InstanceOrigin.Dormant => tables.Dormant,
        _ => tables.Live,
    };

    private bool IsWritable(IDeadLetterWrite write) => tables.DeadLetters.TryGetValue(write.Id, out var stored)
        ? write is DeadLetterChange && stored.Applied is null
        : write is DeadLetterRow;

    private bool IsWritable(ITaskWrite write) => tables.Tasks.TryGetValue(write.Id, out var stored)
        ? write is TaskChange && stored.State == TaskState.Open
        : write is TaskRow;

    /// <summary>Apart, so that a batch without any allocates nothing for them.</summary>
    private static bool HasTasks(FlushBatch batch) => batch.Tasks.Count + batch.Children.Count > 0;

    private void AddTasks(FlushBatch batch)
    {
        batch.Tasks.ForEach(t => tables.Tasks[t.Id] = t is TaskChange change
            ? tables.Tasks[t.Id].With(change)
            : (TaskRow)t);
        foreach (var child in batch.Children)
        {
            tables.Children.TryAdd(child.ParentId, []);
            tables.Children[child.ParentId].Add(child.ChildId);
        }
    }

    private void Write(InstanceWrite write)
    {
        var row = write.Row;
        if (!tables.History.TryGetValue(row.Id, out var history))
        {
            tables.History[row.Id] = history = new();
        }

        history.Append(row.History);
        TableOf(write.Origin).Remove(row.Id);
        if (write.Origin == InstanceOrigin.Dormant && tables.DormantDue.Remove(row.Id, out var due))
        {
            tables.DormantByDue.Remove((due, row.Id));
        }

        (row.IsOver ? tables.Finished : tables.Live).Add(row.Id, row with { History = "" });
    }

    private void MakeDormant(DormantWrite write)
    {
        tables.Live.Remove(write.Id, out var row);
        tables.Dormant.Add(write.Id, row!);
        if (write.NextDueUtc is { } due)
        {
            tables.DormantDue.Add(write.Id, due);
            tables.DormantByDue.Add((due, write.Id));
        }

        foreach (var wait in write.Waits)
        {
            tables.DormantWaits.Add(wait, write.Id);
            tables.DormantBySlot.Add((wait.Slot, wait.WaitId));
        }
    }

    private static void Expect(bool holds, string what, FlushFailure otherwise = FlushFailure.Stale)
    {
        if (!holds)
        {
            throw new FlushException(otherwise, $"Memory and store disagree: not all {what}.");
        }
    }
}
