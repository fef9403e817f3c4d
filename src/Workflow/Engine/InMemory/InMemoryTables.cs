namespace Workflow.Engine.InMemory;

/// <summary>The content of an in-memory store, guarded by one lock.</summary>
internal sealed class InMemoryTables
{
    public Lock Gate { get; } = new();
    public bool Owned { get; set; }
    public Dictionary<Guid, InstanceRow> Live { get; } = [];
    public Dictionary<Guid, InstanceRow> Finished { get; } = [];
    public Dictionary<Guid, StringBuilder> History { get; } = [];
    public Dictionary<Guid, PendingRow> Pending { get; } = [];
    public Dictionary<Guid, TaskRow> Tasks { get; } = [];

    /// <summary>Sub-workflows by the instance that called them.</summary>
    public Dictionary<Guid, HashSet<Guid>> Children { get; } = [];

    public Dictionary<Guid, DeadLetterRow> DeadLetters { get; } = [];
    public Dictionary<string, IdempotencyRow> Keys { get; } = new(StringComparer.Ordinal);

    /// <summary>Keys in the order of their flushes, so that looking for old ones reads none that are young.</summary>
    public Queue<IdempotencyRow> KeysByAge { get; } = [];

    /// <summary>Events of each stream, in order of sequence and without gaps.</summary>
    public Dictionary<int, List<EventRow>> Events { get; } = [];

    /// <summary>In order of their numbers.</summary>
    public OrderedDictionary<(string Name, int Version), DefinitionRow> Definitions { get; } = [];

    private readonly Dictionary<int, LaneRecord> _lanes = [];

    public int LaneCount => _lanes.Count == 0 ? 0 : _lanes.Keys.Max() + 1;

    public DefinitionRow Add(DefinitionRow definition)
    {
        Definitions.TryAdd((definition.Name, definition.Version), definition with { Number = Definitions.Count + 1 });
        return Definitions[(definition.Name, definition.Version)];
    }

    public LaneRecord LaneOf(int index)
    {
        if (!_lanes.TryGetValue(index, out var lane))
        {
            _lanes[index] = lane = new LaneRecord();
        }

        return lane;
    }

    /// <summary>What a store keeps of a lane.</summary>
    internal sealed class LaneRecord
    {
        public long Epoch { get; set; }
        public long LastBatch { get; set; }
        public long LastSequence { get; set; }
        public long PublishedSequence { get; set; }
    }
}
