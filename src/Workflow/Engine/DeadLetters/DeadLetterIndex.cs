namespace Workflow.Engine.DeadLetters;

/// <summary>The open dead letters of a lane, without their payloads. Only a replay tries their work again.</summary>
internal sealed class DeadLetterIndex
{
    private readonly Dictionary<Guid, DeadLetterEntry> _deadLetters = [];
    private readonly HashSet<(DeadLetterKind Kind, Guid Subject, DateTimeOffset? Due)> _subjects = [];
    private readonly Dictionary<Guid, Guid> _subscriptions = [];

    public int Count => _deadLetters.Count;

    /// <summary>The number of dead letters that hold an accepted signal.</summary>
    public int Signals { get; private set; }

    public void Add(DeadLetterRow row)
    {
        var due = row.Kind == DeadLetterKind.Timer
            ? DeadLetterDraft.Read<DeadTimer>(row.Payload).DueUtc
            : (DateTimeOffset?)null;
        var message = row.Kind == DeadLetterKind.Message ? DeadLetterDraft.Read<DeadMessage>(row.Payload) : null;
        var hasSignal = row.Kind == DeadLetterKind.Signal || message is { HasSignal: true };
        Restore(row.Id, new((row.Kind, row.SubjectId, due), row.Attempts, hasSignal, message?.SubscribingWait));
    }

    public bool Holds(Guid id) => _deadLetters.ContainsKey(id);

    /// <param name="more">1, or -1 to undo an attempt.</param>
    /// <returns>The number of attempts, including this one.</returns>
    public int CountAttempt(Guid id, int more = 1)
    {
        var entry = _deadLetters[id];
        _deadLetters[id] = entry with { Attempts = entry.Attempts + more };
        return entry.Attempts + more;
    }

    public DeadLetterEntry Remove(Guid id)
    {
        _deadLetters.Remove(id, out var entry);
        Signals -= entry!.HasSignal ? 1 : 0;
        _subjects.Remove(entry.Subject);
        if (entry.SubscribingWait is { } wait)
        {
            _subscriptions.Remove(wait);
        }

        return entry;
    }

    public void Restore(Guid id, DeadLetterEntry entry)
    {
        _deadLetters.Add(id, entry);
        Signals += entry.HasSignal ? 1 : 0;
        _subjects.Add(entry.Subject);
        if (entry.SubscribingWait is { } wait)
        {
            _subscriptions[wait] = id;
        }
    }

    /// <summary>Finds the dead letter that holds the subscription of a wait; null if there is none.</summary>
    public Guid? FindSubscription(Guid wait) => _subscriptions.TryGetValue(wait, out var id) ? id : null;

    /// <param name="due">Identifies the timer of the wait; null unless the work is a timer.</param>
    public bool Contains(DeadLetterKind kind, Guid subject, DateTimeOffset? due = null) =>
        _subjects.Count > 0 && _subjects.Contains((kind, subject, due));
}

/// <summary>The data of an open dead letter that stays in memory.</summary>
internal sealed record DeadLetterEntry(
    (DeadLetterKind, Guid, DateTimeOffset?) Subject, int Attempts, bool HasSignal, Guid? SubscribingWait);
