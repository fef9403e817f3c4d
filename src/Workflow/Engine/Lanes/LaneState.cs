using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Instances;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>A lane's memory: everything live in its partitions, the effects of batches not yet committed included.</summary>
internal sealed class LaneState
{
    private readonly RecentEntries<string, IdempotencyRow> _keys = new(capacity: 50_000);

    /// <summary>Failures that were retried, by the revision of their row: who has read that row before the commit finds it here.</summary>
    private readonly RecentEntries<(Guid Instance, long Revision), bool> _retried = new(capacity: 8_192);

    public Dictionary<Guid, LiveInstance> Instances { get; } = [];

    /// <summary>Stored signals: they wait for their due time, for a waiter, in an instance's inbox or for their receiver.</summary>
    public StoredSignals StoredSignals { get; } = new();

    public SignalIndex Signals { get; } = new();
    public TimerQueue Timers { get; } = new();

    /// <summary>Open tasks, and the instance that waits for each.</summary>
    public Dictionary<Guid, Guid> Tasks { get; } = [];

    /// <summary>Instances whose parent does not wait for them. Parent and child change in one commit, so there should be none.</summary>
    public IReadOnlyList<LiveInstance> Orphans { get; set; } = [];

    public DeadLetterIndex DeadLetters { get; } = new();

    /// <summary>Messages of the snapshot, and whether they were applied since: copies may be in the mailbox from before the load.</summary>
    public Dictionary<Guid, bool> LoadedMessages { get; } = [];

    /// <summary>The last of the other messages that were applied: one may be posted by its sender and by a reader of the inbox.</summary>
    public RecentEntries<Guid, bool> AppliedMessages { get; } = new(capacity: 8_192);

    /// <summary>Signals of the snapshot whose receiver must be called.</summary>
    public List<SignalRow> Receiving { get; } = [];

    public long LastSequence { get; set; }
    public long LastPosition { get; set; }

    public IdempotencyRow? FindKey(string key) => _keys.Find(key);

    public void Remember(IdempotencyRow row) => _keys.TryAdd(row.Key, row);

    /// <summary>The key was not committed.</summary>
    public void Forget(string key) => _keys.Remove(key);

    public bool WasRetried(InstanceRow failed) => _retried.Find((failed.Id, failed.Revision));

    public void RememberRetry(InstanceRow failed) => _retried.TryAdd((failed.Id, failed.Revision), true);

    /// <summary>The retry was not committed.</summary>
    public void ForgetRetry(InstanceRow failed) => _retried.Remove((failed.Id, failed.Revision));

    /// <summary>Sets what a wait has of timers: its own, and that of its activity's next attempt.</summary>
    public void AddTimers(LiveInstance instance, Wait wait)
    {
        if (wait.DueUtc is { } due)
        {
            Timers.Add(TimerEntry.ForWait(due, instance.Id, wait.Id));
        }

        if (wait.Attempts?.NextUtc is { } next)
        {
            Timers.Add(TimerEntry.ForWait(next, instance.Id, wait.Id));
        }
    }

    public long NextPosition(DateTimeOffset now) => LastPosition = Math.Max(LastPosition + 1, now.UtcTicks);
}

/// <summary>Rebuilds a lane's memory from what is committed.</summary>
internal static class LaneLoader
{
    public static LaneState Load(LaneSnapshot snapshot, Func<string, int, WorkflowDefinition> definitionOf, Func<string, bool> hasReceiver)
    {
        var state = new LaneState { LastSequence = snapshot.LastSequence };
        foreach (var row in snapshot.Instances)
        {
            var instance = InstanceCodec.ToInstance(row, definitionOf(row.Definition, row.DefinitionVersion));
            state.Instances.Add(instance.Id, instance);
            instance.Waits.ForEach(w => AddWait(state, instance, w));
        }

        state.Orphans = [.. state.Instances.Values.Where(i =>
            i.ParentId is { } parent && state.Instances.GetValueOrDefault(parent)?.FindWait(i.Id) is null)];

        foreach (var subscription in snapshot.Subscriptions)
        {
            ObservePosition(state, subscription.Position);
            state.Signals.AddWaiter(
                subscription.Name,
                subscription.CorrelationKey,
                new(subscription.WaitId, subscription.InstanceId, subscription.Position, Subscribed: true));
        }

        foreach (var signal in snapshot.Signals)
        {
            ObservePosition(state, signal.Position);
            AddSignal(state, signal, hasReceiver);
            if (IsForReceiver(signal, hasReceiver))
            {
                state.Receiving.Add(signal);
            }
        }

        foreach (var message in snapshot.Messages)
        {
            ObservePosition(state, message.Position);
            state.LoadedMessages.Add(message.Id, false);
        }

        foreach (var deadLetter in snapshot.DeadLetters)
        {
            state.DeadLetters.Add(deadLetter);
        }

        return state;
    }

    public static void AddWait(LaneState state, LiveInstance instance, Wait wait)
    {
        ObservePosition(state, wait.Position);
        if (wait.IsReady)
        {
            return;
        }

        state.AddTimers(instance, wait);
        if (wait.Kind == WaitKind.Task)
        {
            state.Tasks.Add(wait.Id, instance.Id);
        }

        // A key of another partition has its waiter there, as a subscription.
        if (IsWaiter(instance, wait))
        {
            state.Signals.AddWaiter(wait.Name!, wait.Key!, new(wait.Id, instance.Id, wait.Position, Subscribed: false));
        }
    }

    /// <summary>Undoes <see cref="AddWait"/>, but for its timers: stale ones are ignored.</summary>
    public static void RemoveWait(LaneState state, LiveInstance instance, Wait wait)
    {
        state.Tasks.Remove(wait.Id);
        if (IsWaiter(instance, wait))
        {
            state.Signals.RemoveWaiter(wait.Name!, wait.Key!, wait.Id);
        }
    }

    private static bool IsWaiter(LiveInstance instance, Wait wait) =>
        wait is { Kind: WaitKind.Signal, Key: not null } && Partitioning.OfKey(wait.Key) == instance.Partition;

    public static void AddSignal(LaneState state, SignalRow signal, Func<string, bool> hasReceiver)
    {
        state.StoredSignals.Add(signal.Id, signal);
        if (signal.DueUtc is { } due)
        {
            state.Timers.Add(TimerEntry.ForSignal(due, signal.Id));
            return;
        }

        if (IsForReceiver(signal, hasReceiver))
        {
            return;
        }

        state.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        if (signal.InstanceId is { } target)
        {
            if (state.Instances.GetValueOrDefault(target)?.Inbox is { } inbox)
            {
                var later = inbox.FindIndex(s => s.Position > signal.Position);
                inbox.Insert(later < 0 ? inbox.Count : later, signal);
            }
        }
        else
        {
            state.Signals.AddSignal(signal);
        }
    }

    private static bool IsForReceiver(SignalRow signal, Func<string, bool> hasReceiver) =>
        signal is { DueUtc: null, InstanceId: null } && hasReceiver(signal.Name);

    private static void ObservePosition(LaneState state, long position) => state.LastPosition = Math.Max(state.LastPosition, position);
}

/// <summary>Entries of which the oldest is forgotten when there are too many.</summary>
internal sealed class RecentEntries<TKey, TValue>(int capacity)
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _entries = [];
    private readonly Queue<TKey> _order = [];

    public TValue? Find(TKey key) => _entries.GetValueOrDefault(key);

    /// <returns>Whether it was not there.</returns>
    public bool TryAdd(TKey key, TValue value)
    {
        if (!_entries.TryAdd(key, value))
        {
            return false;
        }

        _order.Enqueue(key);
        if (_order.Count > capacity)
        {
            _entries.Remove(_order.Dequeue());
        }

        return true;
    }

    public void Remove(TKey key) => _entries.Remove(key);
}
