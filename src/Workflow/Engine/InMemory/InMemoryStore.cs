namespace Workflow.Engine.InMemory;

/// <summary>
/// The reference model of the store port, and the store of a service without configuration. It checks every guard that
/// a durable store checks. What it holds outlives the engine that used it, but not the process.
/// </summary>
public sealed class InMemoryStore : IWorkflowStore, ILaneGroup
{
    private readonly InMemoryTables _tables;
    private bool _owner;

    public InMemoryStore()
        : this(new InMemoryTables())
    {
    }

    internal InMemoryStore(InMemoryTables tables) => _tables = tables;

    public string Description => "memory (not durable)";
    public ILaneGroup Group => this;

    /// <summary>Another handle on the same content, as a restarted engine would open it.</summary>
    public InMemoryStore Reopen() => new(_tables);

    public Task OpenAsync(CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            if (_tables.Owned)
            {
                throw new EngineAlreadyRunningException(Description, "an engine of this process");
            }

            _tables.Owned = _owner = true;
        }

        return Task.CompletedTask;
    }

    public Task<int> CountLanesAsync(CancellationToken cancellationToken) => Locked(tables => tables.LaneCount);

    public Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken) =>
        Task.FromResult<ILaneStore>(new InMemoryLane(_tables, lane));

    Task ILaneGroup.FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken) =>
        InMemoryLane.FlushAsync(_tables, flushes);

    public Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        Locked(tables => tables.FindLive(id) ?? tables.Finished.GetValueOrDefault(id));

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken) =>
        Locked(tables => Page(
            AllInstances(tables).Where(r => Matches(r, query)), r => r.Id, query.Bounds, query.Limit));

    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        Locked(tables => Count(AllInstances(tables), r => Matches(r, query), r => r.Id, query.Bounds, most));

    public Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        Locked(tables => tables.History.TryGetValue(id, out var lines) ? lines.ToString() : null);

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        Locked<IReadOnlyList<Guid>>(tables => [.. tables.Children.GetValueOrDefault(parent, []).Order().Take(limit)]);

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        Locked(tables => tables.Tasks.GetValueOrDefault(id));

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        Locked(tables => Page(
            tables.Tasks.Values.Where(r => Matches(r, query)), r => r.Id, query.Bounds, query.Limit));

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        Locked(tables => Count(
            tables.Tasks.Values.Where(r => query.State is null || r.State == query.State), r => Matches(r, query),
            r => r.Id, query.Bounds, most));

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        Locked(tables => tables.DeadLetters.GetValueOrDefault(id));

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) =>
        Locked(tables => Page(
            tables.DeadLetters.Values.Where(l => Matches(l, query)), l => l.Id, query.Bounds, query.Limit));

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) =>
        Locked(tables => Count(tables.DeadLetters.Values, l => Matches(l, query), l => l.Id, query.Bounds, most));

    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            if (_tables.Events.GetValueOrDefault(stream) is not { Count: > 0 } events)
            {
                return Task.FromResult<IReadOnlyList<EventRow>>([]);
            }

            var first = (int)Math.Clamp(afterSequence + 1 - events[0].Sequence, 0, events.Count);
            return Task.FromResult<IReadOnlyList<EventRow>>(
                events.GetRange(first, Math.Min(limit, events.Count - first)));
        }
    }

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        Locked<IReadOnlyList<DefinitionRow>>(tables => [.. tables.Definitions.Values.Skip((int)after)]);

    public Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken) =>
        Locked(tables => tables.Add(definition));

    public Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            var limit = request.Limit;
            var fullest = 0;
            foreach (var (stream, events) in _tables.Events)
            {
                var published = _tables.LaneOf(stream).PublishedSequence;
                var old = events.TakeWhile(e => e.CreatedUtc < request.EventsBeforeUtc && e.Sequence <= published)
                    .Take(limit).Count();
                events.RemoveRange(0, old);
                fullest = Math.Max(fullest, old);
            }

            var keys = _tables.KeysByAge;
            var removed = 0;
            for (; removed < limit && keys.TryPeek(out var oldest)
                && oldest.CreatedUtc < request.KeysBeforeUtc; removed++)
            {
                _tables.Keys.Remove(keys.Dequeue().Key);
            }

            fullest = Math.Max(fullest, removed);
            Remove(_tables.DeadLetters, l => l.ReplayedUtc < request.ReplayedBeforeUtc);
            if (request.FinishedBeforeUtc is null)
            {
                return Task.FromResult(fullest == limit);
            }

            Remove(_tables.Tasks, t => IsOver(t.InstanceId));
            foreach (var parent in _tables.Children.Keys.Where(IsOver).Take(limit).ToArray())
            {
                _tables.Children.Remove(parent);
            }

            if (fullest < limit)
            {
                Remove(_tables.Finished, i => IsOver(i.Id), id => _tables.History.Remove(id));
            }

            return Task.FromResult(fullest == limit);

            bool IsOver(Guid instance) =>
                _tables.Finished.TryGetValue(instance, out var row) && row.UpdatedUtc < request.FinishedBeforeUtc;

            void Remove<TKey, TRow>(Dictionary<TKey, TRow> rows, Func<TRow, bool> isOld, Action<TKey>? removed = null)
                where TKey : notnull
            {
                var old = rows.Where(r => isOld(r.Value)).Take(limit).Select(r => r.Key).ToArray();
                fullest = Math.Max(fullest, old.Length);
                foreach (var key in old)
                {
                    rows.Remove(key);
                    removed?.Invoke(key);
                }
            }
        }
    }

    /// <summary>Gives the content up for the next owner; it stays.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_tables.Gate)
        {
            if (_owner)
            {
                _tables.Owned = _owner = false;
            }
        }

        return ValueTask.CompletedTask;
    }

    private Task<T> Locked<T>(Func<InMemoryTables, T> read)
    {
        lock (_tables.Gate)
        {
            return Task.FromResult(read(_tables));
        }
    }

    private static IEnumerable<InstanceRow> AllInstances(InMemoryTables tables) =>
        tables.EveryLive.Concat(tables.Finished.Values);

    private static bool Matches(InstanceRow row, InstanceQuery query) =>
        (query.Definition is null || row.Definition == query.Definition)
        && (query.DefinitionPrefix is not { } name || row.Definition.StartsWith(name, StringComparison.Ordinal))
        && (query.State is null || row.State == query.State)
        && (query.CorrelationKey is null || row.CorrelationKey == query.CorrelationKey)
        && (query.CorrelationKeyPrefix is not { } key
            || row.CorrelationKey?.StartsWith(key, StringComparison.Ordinal) == true);

    private static bool Matches(TaskRow row, TaskQuery query) =>
        (query.Assignee is null || row.Assignee == query.Assignee)
        && (query.Group is null || row.Groups.Contains(query.Group, StringComparer.Ordinal))
        && (query.State is null || row.State == query.State);

    private static bool Matches(DeadLetterRow row, DeadLetterQuery query) =>
        row.Applied is not null == query.Replayed
        && (query.Kind is null || row.Kind == query.Kind)
        && (query.InstanceId is null || row.InstanceId == query.InstanceId);

    private static IReadOnlyList<T> Page<T>(IEnumerable<T> rows, Func<T, Guid> idOf, ListBounds bounds, int limit)
    {
        rows = rows.Where(row => bounds.Contain(idOf(row)));
        return [.. (bounds.NewestFirst ? rows.OrderByDescending(idOf) : rows.OrderBy(idOf)).Take(limit)];
    }

    private static ListCount Count<T>(
        IEnumerable<T> rows, Func<T, bool> matches, Func<T, Guid> idOf, ListBounds bounds, int most) =>
        ListCount.Of(Page(rows, idOf, bounds, most), most, matches, idOf);
}
