using System.Diagnostics.CodeAnalysis;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Configuration;
using Workflow.Engine.Instances;
using Workflow.Engine.Lanes;

namespace Workflow.Engine.Signals;

/// <summary>A lane's stored signals by id, and the size of their payloads.</summary>
internal sealed class StoredSignals
{
    private readonly Dictionary<Guid, SignalRow> _signals = [];

    public int Count => _signals.Count;

    /// <summary>Characters of all payloads.</summary>
    public long Size { get; private set; }

    public void Add(Guid id, SignalRow signal)
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
    public bool TryGetValue(Guid id, [MaybeNullWhen(false)] out SignalRow signal) =>
        _signals.TryGetValue(id, out signal);

    private static int SizeOf(SignalRow signal) => signal.Payload?.Length ?? 0;
}

/// <summary>Whether there is room for one more signal that nobody waits for.</summary>
internal static class SignalRoom
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    /// <summary>The refusal; null while there is room, and for a signal that somebody waits for.</summary>
    public static SignalsFullException? WhyFull(LaneState state, SignalCommand signal, EngineLimits limits, DateTimeOffset now)
    {
        if (signal.InstanceId is { } id)
        {
            return state.Instances.GetValueOrDefault(id) is { Inbox.Count: > 0 } instance ? WhyFull(instance, signal, limits, now) : null;
        }

        var isDelayed = signal.DueAt > now;
        if (!isDelayed && state.Signals.FindFirst(signal.Name, signal.CorrelationKey!) is (var first, var count)
            && count >= limits.MaxSignalsPerKey)
        {
            return Full($"{count} signals '{signal.Name}' wait for key '{StoreLimits.Excerpt(signal.CorrelationKey!, 80)}'; the limit is "
                + $"{limits.MaxSignalsPerKey} (MaxSignalsPerKey).", first, now);
        }

        var stored = state.StoredSignals;
        return stored.Count > 0 && (stored.Count >= limits.MaxSignals || stored.Size + signal.Payload.Weight > limits.MaxSignalsSize)
            && (isDelayed || !state.Signals.HasWaiter(signal.Name, signal.CorrelationKey!))
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
    private static SignalsFullException Full(string what, SignalRow? oldest, DateTimeOffset now)
    {
        var pause = oldest is null ? ShortestPause : oldest.ExpiresUtc - now;
        return new(what, pause < ShortestPause ? ShortestPause : pause > LongestPause ? LongestPause : pause);
    }
}
