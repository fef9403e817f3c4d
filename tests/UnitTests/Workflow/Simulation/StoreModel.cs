using Workflow.Contracts.Signals;
using Workflow.Engine.Commands;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Simulation;

/// <summary>
/// The server of a store that nodes share: the in-memory store, which is the reference model of a flush and its guards,
/// with leases, inboxes and replies. Each call is one transaction at one instant of the true clock. A planted bug makes
/// it break a promise.
/// </summary>
internal sealed partial class StoreModel(TimeProvider clock, CommitChecker checker, PlantedBug bug)
{
    private readonly Dictionary<Guid, Member> _members = [];
    private readonly SortedDictionary<int, Lease> _leases = [];
    private readonly Dictionary<Guid, ReplyRow> _replies = [];
    private readonly Dictionary<int, Former> _former = [];

    /// <summary>By lane: what its last commit that woke instances has woken, as it was before.</summary>
    private readonly Dictionary<int, Woken> _lastWoken = [];

    /// <summary>What a planted bug returns: rows of instances as they were when they became dormant first.</summary>
    private readonly Dictionary<Guid, InstanceRow> _formerRows = [];
    private ReplyRow? _lastReply;
    private string? _secret;
    private int _lanes;
    private int _defects;

    public InMemoryTables Tables { get; } = new();

    /// <summary>The store as its own readers see it: every read that no fault concerns.</summary>
    public InMemoryStore Reads => field ??= new InMemoryStore(Tables);

    public void Join(NodeIdentity node, int lanes, TimeSpan lease)
    {
        if (_lanes != 0 && _lanes != lanes && _members.Any(m => IsLive(m.Value) && m.Key != node.Id))
        {
            throw new LaneCountMismatchException(lanes, _lanes, "others");
        }

        _lanes = lanes;
        _members[node.Id] = new(node.Name, clock.GetUtcNow()) { Until = clock.GetUtcNow() + lease };
        for (var lane = 0; lane < lanes; lane++)
        {
            _leases.TryAdd(lane, new());
            Tables.LaneOf(lane);
        }
    }

    public ClusterView Renew(Guid node, TimeSpan lease)
    {
        var now = clock.GetUtcNow();
        if (_members.TryGetValue(node, out var member) && !member.HasLeft)
        {
            member.Until = now + lease;
        }

        foreach (var own in _leases.Values.Where(l => l.Owner == node))
        {
            own.Until = now + lease;
        }

        return new()
        {
            LaneCount = _lanes,
            Secret = _secret,
            LastDefinition = Tables.Definitions.Count,
            Lanes = [.. _leases.Select(l => new LeaseRow(
                l.Key, l.Value.Owner, l.Value.Owner is null ? TimeSpan.Zero : l.Value.Until - now,
                Tables.LaneOf(l.Key).LastSequence, Tables.LaneOf(l.Key).Epoch))],
            Nodes = [.. _members.Where(m => m.Value.Until > now.AddMinutes(-1)).OrderBy(m => m.Value.StartedUtc)
                .Select(m => new NodeRow(m.Key, m.Value.Name, m.Value.StartedUtc, IsLive(m.Value), m.Value.Address))],
        };
    }

    public IReadOnlyList<int> Claim(Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease)
    {
        var now = clock.GetUtcNow();
        if (!_members.TryGetValue(node, out var member) || member.HasLeft)
        {
            return [];
        }

        int[] free = [
            .. lanes.Where(l => _leases.TryGetValue(l, out var held) && (held.Owner is null || held.Until <= now))
                .Order()];
        foreach (var lane in free)
        {
            _leases[lane].Owner = node;
            _leases[lane].Until = now + lease;
            Tables.LaneOf(lane).Epoch++;
        }

        return free;
    }

    /// <summary>The name of the node that has the lane of the key.</summary>
    public string? OwnerOf(string key) =>
        _leases[Partitioning.OfKey(key) % _lanes].Owner is { } owner ? _members[owner].Name : null;

    public void Release(Guid node, IReadOnlyCollection<int> lanes)
    {
        foreach (var lane in lanes.Where(l => _leases.TryGetValue(l, out var held) && held.Owner == node))
        {
            _leases[lane].Owner = null;
        }
    }

    public void Publish(Guid node, Uri address, string secret)
    {
        _secret ??= secret;
        if (_members.TryGetValue(node, out var member))
        {
            member.Address = address;
        }
    }

    public void Leave(Guid node)
    {
        Release(node, _leases.Keys);
        if (_members.TryGetValue(node, out var member))
        {
            member.HasLeft = true;
        }
    }

    public IReadOnlyList<IdempotencyRow> Put(IReadOnlyList<InboxMessage> messages)
    {
        foreach (var (put, key) in messages)
        {
            var row = bug == PlantedBug.InboxCopyUnkeyed ? Unkeyed(Message.Of(put)).ToRow() : put;
            if (key is null || Tables.Keys.TryAdd(key.Key, key))
            {
                Tables.Pending.Add(row.Id, row);
                checker.Seen(row.Body);
                if (bug == PlantedBug.AnsweredInInbox)
                {
                    AnswerAtOnce(row);
                }
            }
        }

        return [.. messages.Select(m => m.Key?.Key).OfType<string>().Distinct(StringComparer.Ordinal)
            .Select(k => Tables.Keys[k])];
    }

    public IReadOnlyList<PendingRow> ReadInbox(IReadOnlyCollection<LaneAssignment> lanes, int limit) =>
        [.. Tables.Pending.Values.Where(p => p.Kind == PendingKind.Message && lanes.Any(l => l.Owns(p.Partition)))
            .OrderBy(p => p.Position).Take(limit)];

    public IReadOnlyList<ReplyRow> TakeReplies(IReadOnlyCollection<Guid> messages)
    {
        List<ReplyRow> taken = [.. messages.Where(_replies.ContainsKey).Select(m => _replies[m])];
        taken.ForEach(r => _replies.Remove(r.MessageId));
        if (bug == PlantedBug.ReplyTwice && taken.Count == 0 && messages.Count > 0 && _lastReply is { } again)
        {
            taken.Add(again with { MessageId = messages.First() });
        }

        _lastReply = taken.Count > 0 ? taken[0] : null;
        return taken;
    }

    public IReadOnlyDictionary<int, long> StreamEnds() =>
        _leases.Keys.ToDictionary(l => l, l => Tables.LaneOf(l).LastSequence);

    /// <summary>Takes the lane over and reads it.</summary>
    /// <returns>The snapshot, and the epoch that the writer has from now on.</returns>
    public async Task<(LaneSnapshot Snapshot, long Epoch)> LoadAsync(InMemoryLane lane, LaneAssignment assignment)
    {
        var lease = _leases[assignment.Index];
        if (lease.Owner != assignment.Node)
        {
            throw new LaneMovedException(assignment.Index);
        }

        lease.IsTakenOver = lease.Loaded is { } before && before != assignment.Node;
        lease.Loaded = assignment.Node;
        lease.Stale = null;
        var snapshot = await lane.LoadAsync(CancellationToken.None);
        if (bug == PlantedBug.StaleSnapshot && _former.Remove(assignment.Index, out var former))
        {
            lease.Stale = former.Instances;
            snapshot = former.Snapshot with
            {
                LastBatch = snapshot.LastBatch,
                LastSequence = snapshot.LastSequence,
            };
        }

        return (snapshot, Tables.LaneOf(assignment.Index).Epoch);
    }

    public async Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        InMemoryLane lane, LaneAssignment assignment, IReadOnlyCollection<short> partitions)
    {
        var lease = _leases[assignment.Index];
        if (lease.Stale is { } stale)
        {
            return [.. stale.Where(row => partitions.Contains(row.Partition))];
        }

        var rows = await lane.ReadInstancesAsync(partitions, CancellationToken.None);
        return bug == PlantedBug.TimerLostOnTakeover && lease.IsTakenOver
            ? [.. rows.Select(i => i with { Body = DueTime().Replace(i.Body, "") })]
            : rows;
    }

    public async Task<IReadOnlyList<InstanceRow>> FindDormantAsync(
        InMemoryLane lane, (int Lane, long Epoch) writer, DormantLookup lookup)
    {
        var found = await lane.FindAsync(lookup, CancellationToken.None);
        switch (bug)
        {
            case PlantedBug.WakeForgotten when lookup.Slots.Count > 0 && found.Count > 0 && Strikes():
                return [];
            case PlantedBug.StaleDormantRow:
                return [.. found.Select(row => _formerRows.GetValueOrDefault(row.Id, row))];
            case PlantedBug.EndedTakenForDormant:
                return [
                    .. found,
                    .. lookup.Instances.Where(Tables.Finished.ContainsKey).Select(_formerRows.GetValueOrDefault)
                        .OfType<InstanceRow>()];
            case PlantedBug.LookUpOfOldEpoch
                when _lastWoken.TryGetValue(writer.Lane, out var last) && last.Epoch != writer.Epoch:
                return [
                    .. found,
                    .. last.Rows.Where(row => lookup.Instances.Contains(row.Id)
                        || last.Waits.Any(w => w.Instance == row.Id && lookup.Slots.Contains(w.Wait.Slot)))
                        .Where(row => found.All(other => other.Id != row.Id))];
            default:
                return found;
        }
    }

    public async Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        InMemoryLane lane, (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit)
    {
        var read = await lane.ReadDueAsync(after, until, limit, CancellationToken.None);
        return bug == PlantedBug.DormantTimerLost && read.Count > 0 && Strikes() ? [.. read.Skip(1)] : read;
    }

    /// <summary>Commits batches of several lanes, all or none.</summary>
    public async Task CommitAsync(IReadOnlyList<Flush> flushes)
    {
        var before = flushes.Select(f => (Flush: f, State: StateOf(f.Assignment.Index))).ToArray();
        if (bug != PlantedBug.FenceSkipped
            && before.FirstOrDefault(f => f.Flush.Epoch != f.State.Epoch) is ({ } fenced, var current))
        {
            throw new FlushException(
                FlushFailure.Fenced, $"Lane {fenced.Assignment.Index} has epoch {current.Epoch}, not {fenced.Epoch}.");
        }

        if (bug == PlantedBug.StaleSnapshot)
        {
            await KeepSnapshotsAsync(flushes);
        }

        Woken[] woken = [.. flushes.Select(WokenBy)];
        var broughtBack = bug switch
        {
            PlantedBug.RemovedSignalKept => Spoilt(flushes, PendingKind.Signal),
            PlantedBug.MessageAppliedTwice => Spoilt(flushes, PendingKind.Message),
            _ => [],
        };
        foreach (var (flush, state) in before)
        {
            var record = Tables.LaneOf(flush.Assignment.Index);
            record.Epoch = bug == PlantedBug.FenceSkipped ? flush.Epoch : state.Epoch;
            record.LastBatch = bug == PlantedBug.BatchNumberUnchecked ? flush.Batch.Number - 1 : state.Batch;
        }

        var isCommitted = false;
        try
        {
            await InMemoryLane.FlushAsync(Tables, [.. flushes.Select(f => new LaneFlush(f.Lane, f.Batch))]);
            isCommitted = true;
        }
        finally
        {
            foreach (var (flush, state) in before)
            {
                var record = Tables.LaneOf(flush.Assignment.Index);
                record.Epoch = state.Epoch;
                record.LastBatch = isCommitted ? record.LastBatch : state.Batch;
            }
        }

        broughtBack.ForEach(row => Tables.Pending.TryAdd(row.Id, row));
        Array.ForEach(woken, SpoilWoken);
        foreach (var (flush, state) in before)
        {
            flush.Batch.Replies.ForEach(r => _replies[r.MessageId] = r);
            flush.Batch.Dormant.ForEach(d => _formerRows.TryAdd(d.Id, Tables.Dormant[d.Id]));
            Spoil(flush.Batch);
            checker.Committed(
                flush.Assignment.Index, (flush.Epoch, state.Epoch), (state.Batch, state.Sequence), flush.Batch);
        }
    }

    private (long Epoch, long Batch, long Sequence) StateOf(int lane) =>
        (Tables.LaneOf(lane).Epoch, Tables.LaneOf(lane).LastBatch, Tables.LaneOf(lane).LastSequence);

    private async Task KeepSnapshotsAsync(IReadOnlyList<Flush> flushes)
    {
        foreach (var flush in flushes)
        {
            var epoch = Tables.LaneOf(flush.Assignment.Index).Epoch;
            var lane = new InMemoryLane(Tables, flush.Assignment);
            _former[flush.Assignment.Index] = new(
                await lane.LoadAsync(CancellationToken.None),
                await lane.ReadInstancesAsync(StoreRows.EveryPartition, CancellationToken.None));
            Tables.LaneOf(flush.Assignment.Index).Epoch = epoch;
        }
    }

    /// <summary>Applies the planted bug only sometimes, because a bug that always strikes is easy to find.</summary>
    private void Spoil(FlushBatch batch)
    {
        switch (bug)
        {
            case PlantedBug.MessageLost
                when batch.Pending.Find(p => p.Kind == PendingKind.Message) is { } message && Strikes():
                Tables.Pending.Remove(message.Id);
                break;
            case PlantedBug.IdempotencyKeyLost when batch.Keys.Count > 0 && Strikes():
                Tables.Keys.Remove(batch.Keys[0].Key);
                break;
            case PlantedBug.NodeKeyLost:
                batch.Keys.Where(k => k.RequestHash == RemoteCommand.NodeHash).ToList()
                    .ForEach(k => Tables.Keys.Remove(k.Key));
                break;
            case PlantedBug.EventLost when batch.Events.Count > 1 && Strikes():
                Tables.Events[batch.Events[0].Stream].Remove(batch.Events[0]);
                break;
        }
    }

    private static Message Unkeyed(Message message)
    {
        var command = RemoteCommand.Parse(message.Json.Span);
        return command.RequestHash == RemoteCommand.NodeHash
            ? Message.Of(
                message.Id, message.Partition, message.Kind,
                (command with { IdempotencyKey = $"{message.Id}, unkeyed" }).ToJson(), message.Position)
            : message;
    }

    private void AnswerAtOnce(PendingRow message)
    {
        // Of one to an instance that has ended, the owner answers that it was not accepted.
        if (Message.Of(message) is { Kind: RemoteKind.Send } sent && RemoteCommand.Parse(sent.Json.Span).Id is null)
        {
            var reply = RemoteReply.Of(new SignalAccepted(message.Id, Delivered: false, Duplicate: false));
            _replies[message.Id] = new(message.Id, reply.ToJson(), clock.GetUtcNow());
        }
    }

    /// <summary>Rows that the bug will bring back.</summary>
    private List<PendingRow> Spoilt(IReadOnlyList<Flush> flushes, PendingKind kind)
    {
        List<PendingRow> removed =
            [.. flushes.SelectMany(f => f.Batch.PendingRemoved).Select(Tables.Pending.GetValueOrDefault)
            .OfType<PendingRow>().Where(row => row.Kind == kind)];
        return removed.Count > 0 && Strikes() ? removed : [];
    }

    private Woken WokenBy(Flush flush) => new(
        flush.Assignment.Index,
        flush.Epoch,
        [.. flush.Batch.InstancesOf(InstanceOrigin.Dormant, isOver: false)
            .Concat(flush.Batch.InstancesOf(InstanceOrigin.Dormant, isOver: true))
            .Select(row => Tables.Dormant.GetValueOrDefault(row.Id)).OfType<InstanceRow>()],
        [.. flush.Batch.DormantWaitsRemoved.Where(Tables.DormantWaits.ContainsKey)
            .Select(wait => (wait, Tables.DormantWaits[wait]))]);

    private void SpoilWoken(Woken woken)
    {
        if (woken.Rows.Count == 0)
        {
            return;
        }

        _lastWoken[woken.Lane] = woken;
        if (bug == PlantedBug.WokenTwice && Strikes())
        {
            foreach (var row in woken.Rows)
            {
                Tables.Dormant[row.Id] = row;
            }

            foreach (var (wait, instance) in woken.Waits)
            {
                Tables.DormantWaits[wait] = instance;
                Tables.DormantBySlot.Add((wait.Slot, wait.WaitId));
            }
        }
    }

    private bool Strikes() => ++_defects % 5 == 1;

    private bool IsLive(Member member) => !member.HasLeft && member.Until > clock.GetUtcNow();

    [GeneratedRegex(@",""d"":\d{17,}")]
    private static partial Regex DueTime();

    private sealed record Member(string Name, DateTimeOffset StartedUtc)
    {
        public DateTimeOffset Until { get; set; }
        public bool HasLeft { get; set; }
        public Uri? Address { get; set; }
    }

    /// <summary>Rows that a commit of a lane has woken, and their waits, as they were before.</summary>
    private sealed record Woken(
        int Lane, long Epoch, IReadOnlyList<InstanceRow> Rows, IReadOnlyList<(DormantWait Wait, Guid Instance)> Waits);

    /// <summary>A lane as it was before its last commit.</summary>
    private sealed record Former(LaneSnapshot Snapshot, IReadOnlyList<InstanceRow> Instances);

    private sealed record Lease
    {
        public Guid? Owner { get; set; }
        public DateTimeOffset Until { get; set; }

        /// <summary>Who loaded the lane last.</summary>
        public Guid? Loaded { get; set; }

        /// <summary>Whether another node had loaded it before.</summary>
        public bool IsTakenOver { get; set; }

        /// <summary>What a planted bug returns: instances as they were before the last commit.</summary>
        public IReadOnlyList<InstanceRow>? Stale { get; set; }
    }
}
