using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Residency;

/// <summary>
/// Decides where live instances are: in the memory of the lane (resident) or only in the store (dormant). A resident
/// instance may be stored as dormant at the same time; memory counts then. A command that needs a dormant instance is
/// undone and repeated when the instance has been read. A signal slot is wholly in memory or wholly in the store. After
/// a load, no instance of a partition is in memory until all that were before are read; no timer fires and no instance
/// is evicted until those of every partition are.
/// </summary>
/// <param name="index">The slots that may be in the store. It belongs to the lane, not to one load.</param>
internal sealed class DormancyHandler(
    InstanceHandler instances, SignalStore signals, SlotIndex index, LaneState lane)
{
    /// <summary>How long an instance that cannot become dormant, or a limit that cannot be kept, is left alone.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan LongestRest = TimeSpan.FromSeconds(10);

    /// <summary>Idle instances are collected for this part of the idle time, so that few commits move many.</summary>
    private const int RestDivisor = 8;

    private const int MaxAnswers = 65_536;
    private readonly Residents _residents = instances.Residents;
    private readonly DueWindow _due = new();

    /// <summary>Ids of which the store has said that no dormant instance or open task has them.</summary>
    private readonly HashSet<Guid> _absent = [];

    /// <summary>Slots of which the store has no waiter that is not in memory.</summary>
    private readonly HashSet<long> _inMemory = [];

    /// <summary>Instances whose end is not committed: the store may have them as dormant, or does not know them.</summary>
    private readonly HashSet<Guid> _ended = [];

    /// <summary>The partitions that are to be recovered; null if none is.</summary>
    private SortedSet<short>? _unread;

    private readonly HashSet<short> _neededPartitions = [];
    private readonly HashSet<Guid> _neededInstances = [];
    private readonly HashSet<Guid> _neededTasks = [];
    private readonly HashSet<long> _neededSlots = [];
    private DateTimeOffset _restsUntil = DateTimeOffset.MinValue;
    private long _storedInMemory;
    private long _tasksInMemory;
    private int _leaving;
    private long _leavingSize;

    /// <summary>The number of dormant rows of the lane, and of their open tasks, after the last commit.</summary>
    public long Stored { get; private set; }

    public long StoredTasks { get; private set; }

    /// <summary>Whether memory has all instances again that it had before the load.</summary>
    public bool IsRecovered => _unread is null;

    /// <summary>The number of instances that are still to be recovered.</summary>
    public long Unread { get; private set; }

    /// <summary>The partitions that are still to be recovered.</summary>
    public IReadOnlyCollection<short> UnreadPartitions => _unread ?? [];

    /// <summary>The partitions that commands need before all others.</summary>
    public IReadOnlyCollection<short> NeededPartitions => _neededPartitions;

    /// <summary>Whether a command may need something that memory does not have.</summary>
    public bool MayMiss => Dormant > 0 || !IsRecovered;

    /// <summary>The number of dormant instances that are not in memory, and of their open tasks.</summary>
    public long Dormant => Stored - _storedInMemory;

    public long DormantTasks => StoredTasks - _tasksInMemory;

    /// <summary>Whether the next look-up must read instances.</summary>
    public bool HasNeeds => HasDormantNeeds || _neededPartitions.Count > 0;

    private bool HasDormantNeeds => _neededInstances.Count + _neededTasks.Count + _neededSlots.Count > 0;

    /// <summary>What the next look-up must read of the dormant instances; null if nothing is needed.</summary>
    public DormantLookup? Needs => HasDormantNeeds
        ? new() { Instances = [.. _neededInstances], Tasks = [.. _neededTasks], Slots = [.. _neededSlots] }
        : null;

    /// <summary>When the lane must step again for its dormant and idle instances; null if there are none.</summary>
    public DateTimeOffset? NextDueUtc =>
        DueTimes.Earlier(Dormant > 0 ? _due.NextReadUtc : null, NextEvictionUtc);

    /// <summary>
    /// When the next timer in memory may fire; null if there is none, or an earlier one may be in the store alone.
    /// </summary>
    public DateTimeOffset? NextTimerUtc =>
        lane.Timers.Queue.NextDueUtc is { } due && (Dormant == 0 || due <= _due.FiresUntil) ? due : null;

    private bool IsOverLimit =>
        _residents.Count - _leaving > lane.Options.Residency.MaxInstances / lane.Options.Lanes
        || _residents.Size - _leavingSize > lane.Options.Residency.MaxSize / lane.Options.Lanes;

    private DateTimeOffset? NextEvictionUtc
    {
        get
        {
            if (_residents.Oldest is not { IsLeaving: false } oldest || !IsCommitted(oldest))
            {
                // The end of the flush lets the lane step.
                return null;
            }

            if (IsOverLimit)
            {
                return _restsUntil;
            }

            // Rounded, so that the alarm of the lane moves seldom.
            var due = oldest.UsedUtc + lane.Options.Residency.IdleTime;
            var rest = Rest.Ticks;
            return rest == 0 ? due : new(due.UtcTicks - (due.UtcTicks % rest) + rest, TimeSpan.Zero);
        }
    }

    private TimeSpan Rest
    {
        get
        {
            var part = lane.Options.Residency.IdleTime / RestDivisor;
            return part < LongestRest ? part : LongestRest;
        }
    }

    /// <summary>Begins with the committed state.</summary>
    /// <param name="partitions">Those of the lane.</param>
    public void Load(LaneSnapshot snapshot, IEnumerable<short> partitions)
    {
        Unread = snapshot.Instances;
        _unread = Unread > 0 ? [.. partitions] : null;
        (Stored, StoredTasks) = (snapshot.DormantInstances, snapshot.DormantTasks);
        if (Stored == 0)
        {
            index.BeginEmpty();
        }
    }

    /// <summary>Takes over the instances of partitions that were in memory before the load.</summary>
    /// <returns>Those of them that are in memory now, without those of partitions that were recovered before.</returns>
    public IReadOnlyList<LiveInstance> Recover(IReadOnlyCollection<short> partitions, IEnumerable<InstanceRow> rows)
    {
        var recovered = rows.Where(row => _unread?.Contains(row.Partition) is true).Select(
            row => instances.Load(row, lane.Host.GetDefinition(row.Definition, row.DefinitionVersion))).ToArray();
        Unread -= recovered.Length;
        _unread?.ExceptWith(partitions);
        _neededPartitions.ExceptWith(partitions);
        if (_unread?.Count == 0)
        {
            _unread = null;
        }

        return recovered;
    }

    /// <summary>
    /// Finds an instance that is in memory or has ended, because it cannot be dormant; null if it has ended.
    /// </summary>
    /// <exception cref="StoreReadNeededException">Its partition is not recovered yet.</exception>
    public LiveInstance? FindResident(Guid id)
    {
        RequirePartition(Partitioning.OfInstance(id));
        return _residents.Find(id);
    }

    /// <exception cref="StoreReadNeededException">The partition is not recovered yet.</exception>
    public void RequirePartition(short partition)
    {
        if (TryNeedPartition(partition))
        {
            throw Miss($"partition {partition}");
        }
    }

    /// <inheritdoc cref="TryNeed(Guid)"/>
    public bool TryNeedPartition(short partition)
    {
        if (_unread?.Contains(partition) is not true)
        {
            return false;
        }

        _neededPartitions.Add(partition);
        return true;
    }

    /// <summary>Finds a live instance; null if it has ended.</summary>
    /// <exception cref="StoreReadNeededException">Only the store knows whether it has ended.</exception>
    public LiveInstance? Find(Guid id) => _residents.Find(id) ?? (TryNeed(id) ? throw Miss($"instance {id}") : null);

    /// <summary>Finds several live instances, so that one read brings all that are dormant.</summary>
    /// <exception cref="StoreReadNeededException">Only the store knows whether one of them has ended.</exception>
    public void FindAll(IReadOnlyCollection<Guid> ids)
    {
        var isMissing = false;
        foreach (var id in ids)
        {
            isMissing |= TryNeed(id);
        }

        if (isMissing)
        {
            throw Miss($"instances {string.Join(", ", ids)}");
        }
    }

    /// <summary>Brings all waiters of a slot into memory.</summary>
    /// <exception cref="StoreReadNeededException">One of them may be dormant.</exception>
    public void RequireSlot(string name, string key)
    {
        if (TryNeedSlot(name, key))
        {
            throw Miss($"the waiters for signal '{name}' of key '{key}'");
        }
    }

    /// <exception cref="StoreReadNeededException">The task may be of a dormant instance.</exception>
    public void RequireTask(Guid id)
    {
        if (TryNeedTask(id))
        {
            throw Miss($"task {id}");
        }
    }

    /// <summary>Notes that a command will need an instance.</summary>
    /// <returns>Whether it must be read.</returns>
    public bool TryNeed(Guid id)
    {
        if (TryNeedPartition(Partitioning.OfInstance(id)))
        {
            return true;
        }

        var isNeeded = Dormant > 0 && !_residents.Contains(id) && !_ended.Contains(id) && !_absent.Contains(id);
        if (isNeeded)
        {
            _neededInstances.Add(id);
        }

        return isNeeded;
    }

    /// <inheritdoc cref="TryNeed(Guid)"/>
    public bool TryNeedSlot(string name, string key)
    {
        if (TryNeedPartition(Partitioning.OfKey(key)))
        {
            return true;
        }

        var slot = Dormant == 0 ? 0 : SignalSlot.Of(name, key);
        if (IsInMemory(slot))
        {
            return false;
        }

        _neededSlots.Add(slot);
        return true;
    }

    /// <inheritdoc cref="TryNeed(Guid)"/>
    public bool TryNeedTask(Guid id)
    {
        if (TryNeedPartition(Partitioning.OfInstance(id)))
        {
            return true;
        }

        var isNeeded = DormantTasks > 0 && !lane.Tasks.IsOpen(id) && !_absent.Contains(id);
        if (isNeeded)
        {
            _neededTasks.Add(id);
        }

        return isNeeded;
    }

    /// <summary>Takes over what a look-up has read. What it was asked for and has not found is not dormant.</summary>
    /// <returns>The number of instances that have come into memory.</returns>
    public int Admit(DormantLookup asked, IReadOnlyList<InstanceRow> found)
    {
        if (_absent.Count + _inMemory.Count > MaxAnswers)
        {
            _absent.Clear();
            _inMemory.Clear();
        }

        var admitted = found.Count(Admit);
        foreach (var id in asked.Instances)
        {
            _neededInstances.Remove(id);
            if (!_residents.Contains(id))
            {
                _absent.Add(id);
            }
        }

        foreach (var id in asked.Tasks)
        {
            _neededTasks.Remove(id);
            if (!lane.Tasks.IsOpen(id))
            {
                _absent.Add(id);
            }
        }

        foreach (var slot in asked.Slots)
        {
            _neededSlots.Remove(slot);
            _inMemory.Add(slot);
        }

        return admitted;
    }

    /// <summary>
    /// Returns the timers of dormant instances that are to be read now; null if they are read far enough, or the lane
    /// is behind with those in memory.
    /// </summary>
    public DuePage? BeginDuePage(DateTimeOffset now) =>
        Dormant > 0 && IsRecovered && now >= _due.NextReadUtc && !(NextTimerUtc <= now)
            ? _due.Begin(now)
            : null;

    /// <summary>
    /// Up to which time timers may fire now: those of other instances that are due earlier have to be in memory, or an
    /// instance that is read late would have its timers fire out of order.
    /// </summary>
    public DateTimeOffset DueUntil(DateTimeOffset now) => !IsRecovered ? DateTimeOffset.MinValue
        : Dormant > 0 && _due.FiresUntil < now ? _due.FiresUntil : now;

    /// <summary>Takes over the instances whose timers are due soon.</summary>
    /// <returns>The number of instances that have come into memory.</returns>
    public int AdmitDue(DuePage page, IReadOnlyList<DormantDue> read) => _due.End(page, read).Count(Admit);

    /// <summary>Whether instances are to be evicted now.</summary>
    public bool IsEvictionDue(DateTimeOffset now) => IsRecovered && NextEvictionUtc <= now;

    /// <summary>
    /// Makes instances dormant: those that are stored so already leave memory at once, the others with the commit of
    /// the open batch.
    /// </summary>
    public void Evict()
    {
        var left = Math.Min(lane.Options.MaxBatchCommands, _residents.Count);
        var goesOn = false;
        var idleSince = lane.Now - lane.Options.Residency.IdleTime;
        while (left-- > 0 && _residents.Oldest is { } oldest && (oldest.UsedUtc <= idleSince || IsOverLimit))
        {
            if (!IsCommitted(oldest))
            {
                // All others were used later.
                break;
            }

            var canSleep = CanSleep(oldest);
            goesOn |= canSleep is not false && !oldest.IsLeaving;
            if (canSleep is false)
            {
                _residents.Use(oldest, lane.Now + Pause);
            }
            else if (canSleep is null || oldest.IsLeaving)
            {
                _residents.Use(oldest, lane.Now);
            }
            else if (oldest.Dormant is { } record)
            {
                Remove(oldest);
                CountInMemory(record, -1);
            }
            else
            {
                Leave(oldest);
            }
        }

        _restsUntil = goesOn ? DateTimeOffset.MinValue : lane.Now + Pause;
    }

    /// <summary>The numbers of dormant rows and of their open tasks when a sealed batch is committed.</summary>
    public (long Instances, long Tasks) CountAfter(LaneBatch batch)
    {
        var (stored, tasks) = (Stored - batch.Woken.Count, StoredTasks);
        foreach (var (_, record) in batch.Woken)
        {
            tasks -= record.Tasks;
        }

        foreach (var eviction in batch.Evictions)
        {
            stored += eviction.IsWritten ? 1 : 0;
            tasks += eviction.IsWritten ? eviction.Record.Tasks : 0;
        }

        return (stored, tasks);
    }

    /// <summary>
    /// A batch is committed: what it made dormant leaves memory, unless it was used meanwhile; what it changed is no
    /// longer stored as dormant.
    /// </summary>
    public void Complete(LaneBatch committed)
    {
        foreach (var (instance, record) in committed.Woken)
        {
            instance.Dormant = null;
            Stored--;
            StoredTasks -= record.Tasks;
            CountInMemory(record, -1);
        }

        foreach (var instance in _ended.Count > 0 ? committed.Touched : [])
        {
            if (instance.IsFinished)
            {
                _ended.Remove(instance.Id);
                _due.Leave(instance.Id);
            }
        }

        foreach (var eviction in committed.Evictions)
        {
            var (instance, stored) = (eviction.Instance, eviction.Record);
            EndLeaving(instance);
            if (!eviction.IsWritten)
            {
                continue;
            }

            instance.Dormant = stored;
            Stored++;
            StoredTasks += stored.Tasks;
            _absent.Remove(instance.Id);
            if (!ReferenceEquals(_residents.Find(instance.Id), instance))
            {
                // It has ended in a later command.
                CountInMemory(stored, 1);
                _ended.Add(instance.Id);
            }
            else if (CanSleep(instance) is true)
            {
                Remove(instance);
            }
            else
            {
                CountInMemory(stored, 1);
            }
        }
    }

    /// <summary>An instance has ended: until the commit, the store is not asked about it.</summary>
    public void End(LiveInstance instance)
    {
        _due.Leave(instance.Id);
        if (Stored > 0)
        {
            _ended.Add(instance.Id);
        }
    }

    /// <summary>The end of an instance is rolled back.</summary>
    public void UndoEnd(Guid id) => _ended.Remove(id);

    private static StoreReadNeededException Miss(string what) => new(what);

    /// <returns>Whether the instance was not in memory, and is now.</returns>
    private bool Admit(InstanceRow row)
    {
        if (_residents.Contains(row.Id) || _ended.Contains(row.Id))
        {
            return false;
        }

        var instance = instances.LoadDormant(row, lane.Host.GetDefinition(row.Definition, row.DefinitionVersion));
        CountInMemory(instance.Dormant!, 1);
        AddSlotsInMemory(instance.Dormant!);
        return true;
    }

    /// <summary>Counts an instance that memory has and the store keeps as dormant (1), or no longer (-1).</summary>
    private void CountInMemory(DormantRecord record, int count)
    {
        _storedInMemory += count;
        _tasksInMemory += count * record.Tasks;
    }

    /// <summary>The stored waiter of each slot is in memory, and a slot has one stored waiter at most.</summary>
    private void AddSlotsInMemory(DormantRecord record)
    {
        foreach (var wait in record.Waits)
        {
            _inMemory.Add(wait.Slot);
        }
    }

    private void Leave(LiveInstance instance)
    {
        var record = DormantRecord.Of(instance);
        foreach (var wait in record.Waits)
        {
            // Before the commit: the index may have a slot too many, and never one too few.
            index.Add(wait.Slot);
            _inMemory.Add(wait.Slot);
        }

        instance.IsLeaving = true;
        _leaving++;
        _leavingSize += instance.CountedSize;
        lane.Batch.Evict(instance, record);
        lane.Batch.OnRollBack(() => EndLeaving(instance));
        _residents.Use(instance, lane.Now);
    }

    private static bool IsCommitted(LiveInstance instance) =>
        !instance.IsDirty && instance.Committed?.Revision == instance.Revision;

    private void EndLeaving(LiveInstance instance)
    {
        instance.IsLeaving = false;
        if (--_leaving == 0)
        {
            _leavingSize = 0;
        }
    }

    /// <summary>
    /// Whether no waiter of a slot is in the store alone. While the index is read, only a look-up can tell.
    /// </summary>
    private bool IsInMemory(long slot) => Dormant == 0 || _inMemory.Contains(slot) || !index.MayContain(slot);

    /// <summary>The instance leaves memory, with what its waits have there. Its timers become stale.</summary>
    private void Remove(LiveInstance instance)
    {
        _residents.Remove(instance.Id, out _);
        _due.Leave(instance.Id);
        instances.RemoveWaits(instance);
        signals.KeepInbox(instance);
        foreach (var wait in instance.Dormant!.Waits)
        {
            _inMemory.Remove(wait.Slot);
        }
    }

    /// <summary>
    /// Whether the instance may be in the store alone: its last change is committed, nothing of it runs, no timer of it
    /// may be in what was read ahead, and no other instance waits in one of its slots, in memory or in the store.
    /// </summary>
    /// <returns>Null if only the next look-up can tell.</returns>
    private bool? CanSleep(LiveInstance instance)
    {
        var isUnknown = false;
        if (!IsCommitted(instance) || instance.IsFinished || instance.NextDueUtc <= _due.StaysUntil)
        {
            return false;
        }

        foreach (var wait in instance.Waits)
        {
            var isSlotUsed = SignalWaits.IsOfOwnPartition(instance, wait) && !wait.IsReady;
            if (wait.IsActivityRunning || (isSlotUsed && signals.Index.HasTwoWaiters(wait.Name!, wait.Key!)))
            {
                return false;
            }

            isUnknown |= isSlotUsed && TryNeedSlot(wait.Name!, wait.Key!);
        }

        return isUnknown ? null : true;
    }
}
