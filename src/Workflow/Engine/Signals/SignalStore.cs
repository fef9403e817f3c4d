using Workflow.Engine.Timers;

namespace Workflow.Engine.Signals;

/// <summary>
/// The stored signals of a lane with their rows. A stored signal waits for its due time, for a waiter, in the inbox of
/// an instance, or for its receiver.
/// </summary>
internal sealed class SignalStore(InstanceHandler instances, TimerQueue timers, LaneState lane)
{
    public StoredSignals Stored { get; } = new();
    public SignalIndex Index { get; } = new();
    public TimerQueue Timers => timers;

    /// <summary>Loaded signals whose receiver must be called.</summary>
    public List<AcceptedSignal> Receiving { get; } = [];

    /// <summary>The signals sent to instances that are not in memory, oldest first.</summary>
    private readonly Dictionary<Guid, List<AcceptedSignal>> _inboxes = [];

    public AcceptedSignal Create(SignalCommand request, Guid id)
    {
        DateTimeOffset? due = request.DueAt > lane.Now ? request.DueAt.Value.ToUniversalTime() : null;
        return new()
        {
            Id = id,
            Partition = request.InstanceId is { } target
                ? Partitioning.OfInstance(target)
                : Partitioning.OfKey(request.CorrelationKey!),
            Name = request.Name,
            CorrelationKey = request.CorrelationKey,
            InstanceId = request.InstanceId,
            Payload = request.Payload.IsNull ? null : request.Payload.ToString(),
            Position = lane.NextPosition(),
            AcceptedUtc = lane.Now,
            DueUtc = due,
            ExpiresUtc = (due ?? lane.Now) + lane.Options.SignalTimeToLive,
            TraceParent = lane.Command.Trace,
        };
    }

    /// <summary>Adds a committed signal to memory during a load.</summary>
    public void Load(AcceptedSignal signal)
    {
        Restore(signal);
        if (IsForReceiver(signal))
        {
            Receiving.Add(signal);
        }
    }

    public void Store(AcceptedSignal signal)
    {
        Stored.Add(signal.Id, signal);
        lane.Batch.AddPending(signal);
        lane.Batch.OnRollBack(() =>
        {
            Stored.Remove(signal.Id);
            RemoveFromBuffer(signal);
        });
    }

    public void Remove(AcceptedSignal signal)
    {
        Stored.Remove(signal.Id);
        lane.Batch.RemovePending(signal.Id);
        lane.Batch.OnRollBack(() =>
        {
            RemoveFromBuffer(signal);
            Restore(signal);
        });
    }

    /// <summary>Removes a stored signal, and also removes it from the buffer or the inbox.</summary>
    public void Unbuffer(AcceptedSignal signal)
    {
        RemoveFromBuffer(signal);
        Remove(signal);
    }

    /// <summary>Expires the signals in the inbox of a finished instance.</summary>
    public void ExpireInbox(LiveInstance instance)
    {
        foreach (var signal in instance.Inbox)
        {
            Remove(signal);
            RaiseExpired(signal, "its instance finished without taking it");
        }

        instance.Inbox.Clear();
    }

    /// <summary>Takes the oldest waiter of a slot, in memory or in the store; null if there is none.</summary>
    /// <exception cref="StoreReadNeededException">The slot is not in memory.</exception>
    public Waiter? TakeWaiter(string name, string key)
    {
        lane.Dormancy.RequireSlot(name, key);
        return Index.TakeWaiter(name, key);
    }

    /// <summary>Takes the oldest waiter of a slot if its instance belongs to this partition.</summary>
    /// <inheritdoc cref="TakeWaiter"/>
    public Waiter? TakeOwnWaiter(string name, string key)
    {
        lane.Dormancy.RequireSlot(name, key);
        return Index.TakeOwnWaiter(name, key);
    }

    /// <summary>Whether an instance waits in a slot.</summary>
    /// <inheritdoc cref="TakeWaiter"/>
    public bool HasWaiter(string name, string key)
    {
        lane.Dormancy.RequireSlot(name, key);
        return Index.HasWaiter(name, key);
    }

    /// <summary>Keeps the inbox of an instance that leaves memory.</summary>
    public void KeepInbox(LiveInstance instance)
    {
        if (instance.Inbox.Count > 0)
        {
            _inboxes[instance.Id] = [.. instance.Inbox];
        }
    }

    /// <summary>Returns its inbox to an instance that has come into memory.</summary>
    public void TakeInbox(LiveInstance instance)
    {
        if (_inboxes.Remove(instance.Id, out var kept))
        {
            instance.Inbox.AddRange(kept);
        }
    }

    public void RaiseExpired(AcceptedSignal signal, string reason)
    {
        lane.Batch.Tally.SignalsExpired++;
        lane.Raise(signal.TraceParent, (id, stamps) => new SignalExpired
        {
            Id = id,
            InstanceId = signal.InstanceId,
            CorrelationKey = signal.CorrelationKey,
            Name = signal.Name,
            Reason = $"Signal '{signal.Name}' was given up: {reason}.",
            Timestamps = stamps,
        });
    }

    private void RemoveFromBuffer(AcceptedSignal signal)
    {
        Index.RemoveSignal(signal.Name, signal.CorrelationKey ?? "", signal.Id);
        if (signal.InstanceId is { } target
            && (instances.Residents.Find(target)?.Inbox ?? _inboxes.GetValueOrDefault(target)) is { } inbox)
        {
            inbox.RemoveAll(s => s.Id == signal.Id);
            if (inbox.Count == 0)
            {
                _inboxes.Remove(target);
            }
        }
    }

    private void Restore(AcceptedSignal signal)
    {
        Stored.Add(signal.Id, signal);
        if (signal.DueUtc is { } due)
        {
            timers.Add(TimerEntry.ForSignal(due, signal.Id));
            return;
        }

        if (IsForReceiver(signal))
        {
            return;
        }

        timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        if (signal.InstanceId is { } target)
        {
            if (instances.Residents.Find(target)?.Inbox is not { } inbox
                && !_inboxes.TryGetValue(target, out inbox))
            {
                _inboxes[target] = inbox = [];
            }

            var later = inbox.FindIndex(s => s.Position > signal.Position);
            inbox.Insert(later < 0 ? inbox.Count : later, signal);
        }
        else
        {
            Index.AddSignal(signal);
        }
    }

    private bool IsForReceiver(AcceptedSignal signal) =>
        signal is { DueUtc: null, InstanceId: null } && lane.Host.FindReceiver(signal.Name) is not null;
}
