namespace Workflow.Engine.DeadLetters;

/// <summary>The open dead letters of a lane, without their payloads. Their work is tried again by a replay only.</summary>
internal sealed class DeadLetterIndex
{
    private readonly Dictionary<Guid, DeadLetterEntry> _deadLetters = [];
    private readonly HashSet<(DeadLetterKind Kind, Guid Subject, DateTimeOffset? Due)> _subjects = [];
    private readonly Dictionary<Guid, Guid> _subscribing = [];

    public int Count => _deadLetters.Count;

    /// <summary>Dead letters that hold an accepted signal.</summary>
    public int Signals { get; private set; }

    public void Add(DeadLetterRow row)
    {
        var due = row.Kind == DeadLetterKind.Timer ? DeadLetterDraft.Read<DeadTimer>(row.Payload).DueUtc : (DateTimeOffset?)null;
        var message = row.Kind == DeadLetterKind.Message ? DeadLetterDraft.Read<DeadMessage>(row.Payload) : null;
        var hasSignal = row.Kind == DeadLetterKind.Signal || message is { HasSignal: true };
        Restore(row.Id, new((row.Kind, row.SubjectId, due), row.Attempts, hasSignal, message?.SubscribingWait));
    }

    public bool Holds(Guid id) => _deadLetters.ContainsKey(id);

    /// <param name="more">1, or -1 to take one back.</param>
    /// <returns>Attempts, this one included.</returns>
    public int CountAttempt(Guid id, int more = 1)
    {
        var entry = _deadLetters[id];
        _deadLetters[id] = entry with { Attempts = entry.Attempts + more };
        return entry.Attempts + more;
    }

    /// <summary>Closes a dead letter.</summary>
    public DeadLetterEntry Remove(Guid id)
    {
        _deadLetters.Remove(id, out var entry);
        Signals -= entry!.HasSignal ? 1 : 0;
        _subjects.Remove(entry.Subject);
        if (entry.SubscribingWait is { } wait)
        {
            _subscribing.Remove(wait);
        }

        return entry;
    }

    /// <summary>Opens it again as it was.</summary>
    public void Restore(Guid id, DeadLetterEntry entry)
    {
        _deadLetters.Add(id, entry);
        Signals += entry.HasSignal ? 1 : 0;
        _subjects.Add(entry.Subject);
        if (entry.SubscribingWait is { } wait)
        {
            _subscribing[wait] = id;
        }
    }

    /// <summary>The dead letter that holds the subscription of a wait; null when there is none.</summary>
    public Guid? FindSubscribing(Guid wait) => _subscribing.TryGetValue(wait, out var id) ? id : null;

    /// <param name="due">Of a timer: which of the wait's.</param>
    public bool Contains(DeadLetterKind kind, Guid subject, DateTimeOffset? due = null) =>
        _subjects.Count > 0 && _subjects.Contains((kind, subject, due));
}

/// <summary>What is kept of an open dead letter.</summary>
internal sealed record DeadLetterEntry(
    (DeadLetterKind, Guid, DateTimeOffset?) Subject, int Attempts, bool HasSignal, Guid? SubscribingWait);
