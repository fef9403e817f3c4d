namespace Workflow.Engine.Signals;

/// <summary>Checks whether there is room for another signal without a waiter.</summary>
internal static class SignalRoom
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    /// <summary>Returns the refusal; null if there is room or an instance waits for the signal.</summary>
    /// <param name="target">The live instance that the signal is sent to; null for a signal by key.</param>
    public static SignalsFullException? CheckRoom(
        SignalStore signals, LiveInstance? target, SignalCommand signal, EngineLimits limits, DateTimeOffset now)
    {
        if (signal.InstanceId is not null)
        {
            return target is { Inbox.Count: > 0 } ? CheckRoom(target, signal, limits, now) : null;
        }

        var isDelayed = signal.DueAt > now;
        if (!isDelayed && signals.Index.FindFirst(signal.Name, signal.CorrelationKey!) is (var first, var count)
            && count >= limits.MaxSignalsPerKey)
        {
            return Full($"{count} signals '{signal.Name}' wait for key "
                + $"'{StoreLimits.Excerpt(signal.CorrelationKey!, 80)}'; the limit is {limits.MaxSignalsPerKey} "
                + "(MaxSignalsPerKey).", first, now);
        }

        var stored = signals.Stored;
        return stored.Count > 0
            && (stored.Count >= limits.MaxSignals || stored.Size + signal.Payload.Weight > limits.MaxSignalsSize)
            && (isDelayed || !signals.HasWaiter(signal.Name, signal.CorrelationKey!))
            ? Full($"The lane keeps {stored.Count} signals with {stored.Size} characters of payload; the limits are "
                + $"{limits.MaxSignals} (MaxSignals) and {limits.MaxSignalsSize} (MaxSignalsSize).", null, now)
            : null;
    }

    private static SignalsFullException? CheckRoom(
        LiveInstance instance, SignalCommand signal, EngineLimits limits, DateTimeOffset now)
    {
        var size = instance.Inbox.Sum(s => (long)(s.Payload?.Length ?? 0));
        return (instance.Inbox.Count >= limits.MaxInboxSignals || size + signal.Payload.Weight > limits.MaxInboxSize)
            && !instance.Waits.Exists(w => w.Kind == WaitKind.Signal && w.Name == signal.Name && !w.IsReady)
            ? Full($"Instance {instance.Id} has {instance.Inbox.Count} signals with {size} characters of payload that "
                + $"no step has taken; the limits are {limits.MaxInboxSignals} (MaxInboxSignals) and "
                + $"{limits.MaxInboxSize} (MaxInboxSize).",
                instance.Inbox[0], now)
            : null;
    }

    /// <summary>The next attempt may find room when the oldest signal has expired or a signal was consumed.</summary>
    private static SignalsFullException Full(string what, AcceptedSignal? oldest, DateTimeOffset now)
    {
        var pause = oldest is null ? ShortestPause : oldest.ExpiresUtc - now;
        return new(what, pause < ShortestPause ? ShortestPause : pause > LongestPause ? LongestPause : pause);
    }
}
