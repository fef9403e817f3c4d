using Workflow.Abstractions.Stores;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Execution;

/// <summary>A lane's memory: everything live in its partitions, the effects of batches not yet committed included.</summary>
internal sealed class LaneState
{
    private const int MaxRememberedKeys = 50_000;

    private readonly Dictionary<string, IdempotencyRow> _keys = new(StringComparer.Ordinal);
    private readonly Queue<string> _keyOrder = new();

    public Dictionary<Guid, LiveInstance> Instances { get; } = [];

    /// <summary>Signals that are stored and wait for their due time, for a waiter, in an inbox or for their receiver.</summary>
    public Dictionary<Guid, SignalRow> StoredSignals { get; } = [];

    public SignalBook Book { get; } = new();

    public TimerQueue Timers { get; } = new();

    /// <summary>Open tasks, and the instance that waits for each.</summary>
    public Dictionary<Guid, Guid> Tasks { get; } = [];

    /// <summary>Instances of the snapshot whose parent does not wait for them: parent and child change in one commit, so there should be none.</summary>
    public IReadOnlyList<LiveInstance> Orphans { get; set; } = [];

    public LetterBook Letters { get; } = new();

    /// <summary>Messages of the snapshot, and whether they were handled since: copies may be in the mailbox from before the load.</summary>
    public Dictionary<Guid, bool> LoadedMessages { get; } = [];

    /// <summary>Signals of the snapshot whose receiver must be called.</summary>
    public List<SignalRow> Receiving { get; } = [];

    public long LastSequence { get; set; }

    public long LastPosition { get; set; }

    public IdempotencyRow? FindKey(string key) => _keys.GetValueOrDefault(key);

    public void Remember(IdempotencyRow row)
    {
        if (_keys.TryAdd(row.Key, row))
        {
            _keyOrder.Enqueue(row.Key);
            if (_keyOrder.Count > MaxRememberedKeys)
            {
                _keys.Remove(_keyOrder.Dequeue());
            }
        }
    }

    public long NextPosition(DateTimeOffset now) => LastPosition = Math.Max(LastPosition + 1, now.UtcTicks);
}
