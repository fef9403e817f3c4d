namespace Workflow.Engine.InMemory;

/// <summary>The content of an in-memory store, guarded by one lock.</summary>
internal sealed class InMemoryTables
{
    public Lock Gate { get; } = new();
    public bool Owned { get; set; }

    /// <summary>Live instances, without those that are dormant.</summary>
    public Dictionary<Guid, InstanceRow> Live { get; } = [];

    public Dictionary<Guid, InstanceRow> Dormant { get; } = [];

    /// <summary>When the next timers of dormant instances are due, by instance.</summary>
    public Dictionary<Guid, DateTimeOffset> DormantDue { get; } = [];

    /// <summary>The entries of <see cref="DormantDue"/>, in order of time.</summary>
    public SortedSet<(DateTimeOffset DueUtc, Guid Id)> DormantByDue { get; } = [];

    /// <summary>The instances of the waits of dormant instances.</summary>
    public Dictionary<DormantWait, Guid> DormantWaits { get; } = [];

    /// <summary>The keys of <see cref="DormantWaits"/>, in order of slot.</summary>
    public SortedSet<(long Slot, Guid WaitId)> DormantBySlot { get; } = [];

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
    private int _lanesLoaded;

    public int LaneCount => _lanes.Count == 0 ? 0 : _lanes.Keys.Max() + 1;

    /// <summary>The highest position that a flush of any lane has stored.</summary>
    public long LastPosition => _lanes.Count == 0 ? 0 : _lanes.Values.Max(lane => lane.LastPosition);

    /// <summary>All live instances, those that are dormant included.</summary>
    public IEnumerable<InstanceRow> EveryLive => Live.Values.Concat(Dormant.Values);

    /// <summary>The live instance of an id, dormant or not; null if none is live.</summary>
    public InstanceRow? FindLive(Guid id) => Live.GetValueOrDefault(id) ?? Dormant.GetValueOrDefault(id);

    /// <summary>Counts of another division of the partitions say nothing about the lanes of this one.</summary>
    public void DivideAmong(int lanes)
    {
        if (_lanesLoaded != lanes)
        {
            _lanesLoaded = lanes;
            foreach (var lane in _lanes.Values)
            {
                lane.Dormant = null;
            }
        }
    }

    /// <summary>Counts the dormant instances of a lane and their open tasks.</summary>
    public (long Instances, long Tasks) CountDormant(LaneAssignment lane) =>
        (Dormant.Values.LongCount(row => lane.Owns(row.Partition)),
            Tasks.Values.LongCount(task => task.State == TaskState.Open && lane.Owns(task.Partition)
                && Dormant.ContainsKey(task.InstanceId)));

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
        public long LastPosition { get; set; }

        /// <summary>
        /// The numbers of dormant instances and of their open tasks as the last batch gave them; null if they have to
        /// be counted.
        /// </summary>
        public (long Instances, long Tasks)? Dormant { get; set; }
    }
}
