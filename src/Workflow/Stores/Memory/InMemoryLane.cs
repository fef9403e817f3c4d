using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Stores.Memory;

/// <summary>The writer of one lane: checks every guard first, then changes everything, under one lock.</summary>
internal sealed class InMemoryLane(InMemoryTables tables, LaneAssignment assignment) : ILaneStore
{
    private long _epoch;

    public Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            var lane = tables.LaneOf(assignment.Index);
            _epoch = ++lane.Epoch;
            return Task.FromResult(new LaneSnapshot
            {
                LastBatch = lane.LastBatch,
                LastSequence = lane.LastSequence,
                PublishedSequence = lane.PublishedSequence,
                Instances = [.. tables.Live.Values.Where(i => assignment.Owns(i.Partition)).OrderBy(i => i.CreatedUtc)],
                Signals = [.. tables.Signals.Values.Where(s => assignment.Owns(s.Partition)).OrderBy(s => s.Position)],
                Subscriptions = [.. tables.Subscriptions.Values.Where(s => assignment.Owns(s.Partition)).OrderBy(s => s.Position)],
                Messages = [.. tables.Messages.Values.Where(m => assignment.Owns(m.Partition)).OrderBy(m => m.Position)],
                DeadLetters = [.. tables.DeadLetters.Values.Where(l => l.Applied is null && assignment.Owns(l.Partition))
                    .OrderBy(l => l.Id)],
            });
        }
    }

    public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) => FlushAsync(tables, [new(this, batch)]);

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
                Expect(keys.Distinct(StringComparer.Ordinal).Count() == keys.Length, "idempotency keys are new", FlushFailure.Conflict);
            }

            foreach (var (lane, batch) in flushes)
            {
                ((InMemoryLane)lane).Apply(batch);
            }
        }

        return Task.CompletedTask;
    }

    public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        lock (tables.Gate)
        {
            IReadOnlyList<IdempotencyRow> found = [.. keys.Where(tables.Keys.ContainsKey).Select(k => tables.Keys[k])];
            return Task.FromResult(found);
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Apply(FlushBatch batch)
    {
        if (HasTasks(batch))
        {
            AddTasks(batch);
        }

        Remove(batch);
        Add(batch);
        batch.Retried?.ForEach(Retry);
        var lane = tables.LaneOf(assignment.Index);
        lane.LastBatch = batch.Number;
        lane.LastSequence = batch.LastSequence;
        lane.PublishedSequence = batch.PublishedSequence;
    }

    private void Guard(FlushBatch batch)
    {
        var lane = tables.LaneOf(assignment.Index);
        if (lane.Epoch != _epoch)
        {
            throw new FlushException(FlushFailure.Fenced, $"Lane {assignment.Index} has epoch {lane.Epoch}; this writer has {_epoch}.");
        }

        Expect(lane.LastBatch + 1 == batch.Number, $"batch {batch.Number} follows {lane.LastBatch}");
        Expect(batch.Inserted.TrueForAll(i => !tables.Live.ContainsKey(i.Id)), "inserted instances are new");
        Expect(batch.Updated.TrueForAll(i => tables.Live.TryGetValue(i.Id, out var old) && old.Revision == i.Revision - 1),
            "updated instances have the revision before");
        Expect(
            batch.Finished.TrueForAll(i => i.Revision == 1
                ? !tables.Live.ContainsKey(i.Id)
                : tables.Live.TryGetValue(i.Id, out var old) && old.Revision == i.Revision - 1),
            "finished instances have the revision before");
        Expect(batch.SignalsRemoved.TrueForAll(tables.Signals.ContainsKey), "removed signals are stored");
        Expect(batch.SubscriptionsRemoved.TrueForAll(tables.Subscriptions.ContainsKey), "removed subscriptions are stored");
        Expect(batch.MessagesRemoved.TrueForAll(tables.Messages.ContainsKey), "removed messages are stored");
        Expect(batch.Finished.TrueForAll(i => !tables.Finished.ContainsKey(i.Id)), "finished instances are finished once");
        Expect(batch.SignalsAdded.TrueForAll(s => !tables.Signals.ContainsKey(s.Id) || batch.SignalsRemoved.Contains(s.Id)),
            "added signals are new");
        Expect(batch.SubscriptionsAdded.TrueForAll(s =>
            !tables.Subscriptions.ContainsKey(s.WaitId) || batch.SubscriptionsRemoved.Contains(s.WaitId)), "added subscriptions are new");
        Expect(batch.MessagesAdded.TrueForAll(m => !tables.Messages.ContainsKey(m.Id)), "added messages are new");
        Expect(batch.DeadLettersAdded.TrueForAll(l => !tables.DeadLetters.ContainsKey(l.Id)), "added dead letters are new");
        Expect(
            batch.DeadLettersChanged.TrueForAll(c => tables.DeadLetters.TryGetValue(c.Id, out var letter) && letter.Applied is null),
            "changed dead letters are open");
        Expect(batch.Keys.TrueForAll(k => !tables.Keys.ContainsKey(k.Key)), "idempotency keys are new", FlushFailure.Conflict);
        if (HasTasks(batch))
        {
            GuardTasks(batch);
        }

        if (batch.Retried is { } retried)
        {
            Expect(
                retried.TrueForAll(i => tables.Finished.TryGetValue(i.Id, out var old) && old.State == InstanceState.Failed
                    && old.Revision == i.Revision - 1),
                "retried instances have failed, with the revision before");
        }
    }

    /// <summary>Apart, so that a batch without any allocates nothing for them.</summary>
    private static bool HasTasks(FlushBatch batch) => batch.TasksAdded.Count + batch.TasksChanged.Count + batch.ChildrenAdded.Count > 0;

    private void GuardTasks(FlushBatch batch)
    {
        Expect(batch.TasksAdded.TrueForAll(t => !tables.Tasks.ContainsKey(t.Id)), "added tasks are new");
        Expect(batch.TasksChanged.TrueForAll(t => tables.Tasks.TryGetValue(t.Id, out var old) && old.State == TaskState.Open),
            "changed tasks are open");
        Expect(batch.ChildrenAdded.TrueForAll(c => !tables.Children.GetValueOrDefault(c.ParentId, []).Contains(c.ChildId)),
            "called sub-workflows are new");
    }

    private void AddTasks(FlushBatch batch)
    {
        batch.TasksAdded.ForEach(t => tables.Tasks.Add(t.Id, t));
        batch.TasksChanged.ForEach(t => tables.Tasks[t.Id] = tables.Tasks[t.Id].With(t));
        foreach (var child in batch.ChildrenAdded)
        {
            tables.Children.TryAdd(child.ParentId, []);
            tables.Children[child.ParentId].Add(child.ChildId);
        }
    }

    private void Retry(InstanceRow row)
    {
        tables.History[row.Id].Append(row.History);
        tables.Finished.Remove(row.Id);
        (row.State > InstanceState.Suspended ? tables.Finished : tables.Live).Add(row.Id, row with { History = "" });
    }

    private void Remove(FlushBatch batch)
    {
        batch.SignalsRemoved.ForEach(id => tables.Signals.Remove(id));
        batch.SubscriptionsRemoved.ForEach(id => tables.Subscriptions.Remove(id));
        batch.MessagesRemoved.ForEach(id => tables.Messages.Remove(id));
        batch.Finished.ForEach(i => tables.Live.Remove(i.Id));
    }

    private void Add(FlushBatch batch)
    {
        foreach (var row in batch.Inserted.Concat(batch.Updated).Concat(batch.Finished))
        {
            if (!tables.History.TryGetValue(row.Id, out var history))
            {
                tables.History[row.Id] = history = new();
            }

            history.Append(row.History);
        }

        batch.Inserted.ForEach(i => tables.Live.Add(i.Id, i with { History = "" }));
        batch.Updated.ForEach(i => tables.Live[i.Id] = i with { History = "" });
        batch.Finished.ForEach(i => tables.Finished.Add(i.Id, i with { History = "" }));
        batch.SignalsAdded.ForEach(s => tables.Signals.Add(s.Id, s));
        batch.SubscriptionsAdded.ForEach(s => tables.Subscriptions.Add(s.WaitId, s));
        batch.MessagesAdded.ForEach(m => tables.Messages.Add(m.Id, m));
        batch.DeadLettersAdded.ForEach(l => tables.DeadLetters.Add(l.Id, l));
        batch.DeadLettersChanged.ForEach(c => tables.DeadLetters[c.Id] = Changed(tables.DeadLetters[c.Id], c));
        batch.Keys.ForEach(k =>
        {
            tables.Keys.Add(k.Key, k);
            tables.KeysByAge.Enqueue(k);
        });
        tables.Events.TryAdd(assignment.Index, []);
        tables.Events[assignment.Index].AddRange(batch.Events);
    }

    private static DeadLetterRow Changed(DeadLetterRow letter, DeadLetterChange change) => letter with
    {
        Reason = change.Reason,
        Attempts = change.Attempts,
        LastAttemptUtc = change.LastAttemptUtc,
        ReplayedUtc = change.Applied is null ? null : change.LastAttemptUtc,
        Applied = change.Applied,
    };

    private static void Expect(bool holds, string what, FlushFailure otherwise = FlushFailure.Stale)
    {
        if (!holds)
        {
            throw new FlushException(otherwise, $"Memory and store disagree: not all {what}.");
        }
    }
}
