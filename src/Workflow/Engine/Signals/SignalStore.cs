using System.Diagnostics.CodeAnalysis;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Signals;

/// <summary>A lane's stored signals by id, and the size of their payloads.</summary>
internal sealed class StoredSignals
{
    private readonly Dictionary<Guid, AcceptedSignal> _signals = [];

    public int Count => _signals.Count;

    /// <summary>Characters of all payloads.</summary>
    public long Size { get; private set; }

    public void Add(Guid id, AcceptedSignal signal)
    {
        _signals.Add(id, signal);
        Size += SizeOf(signal);
    }

    public bool Remove(Guid id)
    {
        if (!_signals.Remove(id, out var signal))
        {
            return false;
        }

        Size -= SizeOf(signal);
        return true;
    }

    public bool ContainsKey(Guid id) => _signals.ContainsKey(id);
    public bool TryGetValue(Guid id, [MaybeNullWhen(false)] out AcceptedSignal signal) =>
        _signals.TryGetValue(id, out signal);

    private static int SizeOf(AcceptedSignal signal) => signal.Payload?.Length ?? 0;
}

/// <summary>
/// The stored signals of a lane: they wait for their due time, for a waiter, in an instance's inbox or for their receiver. Their rows, and
/// how both change together.
/// </summary>
internal sealed class SignalStore(InstanceHandler instances, TimerQueue timers, LaneContext lane) : IInboxes
{
    public StoredSignals Stored { get; } = new();
    public SignalIndex Index { get; } = new();
    public TimerQueue Timers => timers;

    /// <summary>Loaded signals whose receiver must be called.</summary>
    public List<AcceptedSignal> Receiving { get; } = [];

    public AcceptedSignal Make(SignalCommand request, Guid id) => new()
    {
        Id = id,
        Partition = request.InstanceId is { } target ? Partitioning.OfInstance(target) : Partitioning.OfKey(request.CorrelationKey!),
        Name = request.Name,
        CorrelationKey = request.CorrelationKey,
        InstanceId = request.InstanceId,
        Payload = request.Payload.IsNull ? null : request.Payload.ToString(),
        Position = lane.NextPosition(),
        AcceptedUtc = lane.Now,
        DueUtc = request.DueAt > lane.Now ? request.DueAt.Value.ToUniversalTime() : null,
        ExpiresUtc = (request.DueAt > lane.Now ? request.DueAt.Value.ToUniversalTime() : lane.Now) + lane.Options.SignalTimeToLive,
        TraceParent = lane.Command.Trace,
    };

    /// <summary>A signal that is committed is in memory again after a load.</summary>
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

    /// <summary>Removes a stored signal from the buffer or the inbox too.</summary>
    public void Unbuffer(AcceptedSignal signal)
    {
        RemoveFromBuffer(signal);
        Remove(signal);
    }

    public void Expire(LiveInstance instance)
    {
        foreach (var signal in instance.Inbox)
        {
            Remove(signal);
            RaiseExpired(signal, "its instance finished without taking it");
        }

        instance.Inbox.Clear();
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
        if (signal.InstanceId is { } target && instances.Live.GetValueOrDefault(target) is { } instance)
        {
            instance.Inbox.RemoveAll(s => s.Id == signal.Id);
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
            if (instances.Live.GetValueOrDefault(target)?.Inbox is { } inbox)
            {
                var later = inbox.FindIndex(s => s.Position > signal.Position);
                inbox.Insert(later < 0 ? inbox.Count : later, signal);
            }
        }
        else
        {
            Index.AddSignal(signal);
        }
    }

    private bool IsForReceiver(AcceptedSignal signal) =>
        signal is { DueUtc: null, InstanceId: null } && lane.Host.FindReceiver(signal.Name) is not null;
}

/// <summary>Whether there is room for one more signal that nobody waits for.</summary>
internal static class SignalRoom
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    /// <summary>The refusal; null while there is room, and for a signal that somebody waits for.</summary>
    /// <param name="target">The live instance that it is sent to; null for one by key.</param>
    public static SignalsFullException? WhyFull(
        SignalStore signals, LiveInstance? target, SignalCommand signal, EngineLimits limits, DateTimeOffset now)
    {
        if (signal.InstanceId is not null)
        {
            return target is { Inbox.Count: > 0 } ? WhyFull(target, signal, limits, now) : null;
        }

        var isDelayed = signal.DueAt > now;
        if (!isDelayed && signals.Index.FindFirst(signal.Name, signal.CorrelationKey!) is (var first, var count)
            && count >= limits.MaxSignalsPerKey)
        {
            return Full($"{count} signals '{signal.Name}' wait for key '{StoreLimits.Excerpt(signal.CorrelationKey!, 80)}'; the limit is "
                + $"{limits.MaxSignalsPerKey} (MaxSignalsPerKey).", first, now);
        }

        var stored = signals.Stored;
        return stored.Count > 0 && (stored.Count >= limits.MaxSignals || stored.Size + signal.Payload.Weight > limits.MaxSignalsSize)
            && (isDelayed || !signals.Index.HasWaiter(signal.Name, signal.CorrelationKey!))
            ? Full($"The lane keeps {stored.Count} signals with {stored.Size} characters of payload; the limits are {limits.MaxSignals} "
                + $"(MaxSignals) and {limits.MaxSignalsSize} (MaxSignalsSize).", null, now)
            : null;
    }

    private static SignalsFullException? WhyFull(LiveInstance instance, SignalCommand signal, EngineLimits limits, DateTimeOffset now)
    {
        var size = instance.Inbox.Sum(s => (long)(s.Payload?.Length ?? 0));
        return (instance.Inbox.Count >= limits.MaxInboxSignals || size + signal.Payload.Weight > limits.MaxInboxSize)
            && !instance.Waits.Exists(w => w.Kind == WaitKind.Signal && w.Name == signal.Name && !w.IsReady)
            ? Full($"Instance {instance.Id} has {instance.Inbox.Count} signals with {size} characters of payload that no step has taken; "
                + $"the limits are {limits.MaxInboxSignals} (MaxInboxSignals) and {limits.MaxInboxSize} (MaxInboxSize).",
                instance.Inbox[0], now)
            : null;
    }

    /// <summary>The next attempt may find room when the oldest has expired, or when somebody took one.</summary>
    private static SignalsFullException Full(string what, AcceptedSignal? oldest, DateTimeOffset now)
    {
        var pause = oldest is null ? ShortestPause : oldest.ExpiresUtc - now;
        return new(what, pause < ShortestPause ? ShortestPause : pause > LongestPause ? LongestPause : pause);
    }
}

internal static class SignalPayload
{
    public static Value Of(AcceptedSignal signal) => signal.Payload is null ? Value.Null : Value.Parse(signal.Payload);
}
