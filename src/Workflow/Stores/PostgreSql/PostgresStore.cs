using System.Diagnostics;
using NpgsqlTypes;
using Workflow.Abstractions;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// The store on PostgreSQL 14 or newer. Nodes share a schema by leases. The epoch of each lane, which every flush
/// checks, protects the data.
/// </summary>
public sealed class PostgresStore : IWorkflowStore, ILaneGroup
{
    /// <summary>
    /// A range of 8 pages takes the server 70 microseconds of a processor, for which commits may wait: 5 ms in all.
    /// </summary>
    private const long RangesAtOnce = 64;

    /// <summary>
    /// The pause after a portion of upkeep, as a multiple of its duration, so that commits have the processor
    /// meanwhile.
    /// </summary>
    private const int RestAfterUpkeep = 4;

    private const long PagesAtOnce = 200;
    private const int MostLanes = 64;

    private readonly PostgresStoreOptions _options;
    private readonly PostgresDatabase _database;
    private readonly PostgresCluster _cluster;

    /// <summary>
    /// By lane: up to where batches and events were removed. What lies before, dead, is not looked at again.
    /// </summary>
    private readonly long[] _batchesRemoved = [.. Enumerable.Repeat(-1L, MostLanes)];
    private readonly long[] _eventsRemoved = [.. Enumerable.Repeat(-1L, MostLanes)];
    private long _summarized;
    private long _keyPage;

    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <exception cref="ArgumentException">
    /// The connection string or the schema name is wrong; the message has no password.
    /// </exception>
    public PostgresStore(PostgresStoreOptions options)
    {
        _options = options;
        _database = new(options.ToBuilder(), options.ReadConnections);
        _cluster = new(_database);
    }

    public string Description =>
        $"PostgreSQL at {_database.Target.Host}:{_database.Target.Port}, database '{_database.Target.Database}', "
        + $"schema '{_options.Schema}'";

    public IClusterStore Cluster => _cluster;
    public ILaneGroup Group => this;

    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var connection = await _database.ConnectAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            try
            {
                await PostgresSchema.ApplyAsync(connection, _options.Schema, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsConnectionError(e))
            {
                throw PostgresErrors.ToUnavailable(e, _database.Target);
            }
        }
    }

    public async Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        (await _database.ReadAsync(Sql.Cluster["count_lanes"], r => r.GetInt32(0), cancellationToken)
            .ConfigureAwait(false))[0];

    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken)
    {
        var connection = await _database.ConnectAsync(cancellationToken).ConfigureAwait(false);

        // A server that has crashed, which ends every lane's session, may have undone what upkeep did last.
        Array.Fill(_batchesRemoved, -1);
        Array.Fill(_eventsRemoved, -1);
        _summarized = 0;
        return new PostgresLane(connection, _database, lane, _options.FlushTimeout);
    }

    /// <summary>
    /// On the connection of the lane with the lowest number, mostly the same: a session that has just done it has
    /// everything at hand. A node that has frozen in the middle of it holds the rows of all these lanes, that one's
    /// too: who takes that lane ends the session.
    /// </summary>
    Task ILaneGroup.FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken) =>
        flushes.Select(f => (PostgresLane)f.Lane).MinBy(l => l.Index)!.FlushAsync(flushes, cancellationToken);

    public async Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        (await _database.ReadAsync(
            _database.Instances, Sql.Queries["find_instance"], PostgresRows.Instance, cancellationToken,
            Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    public async Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken)
    {
        if (query.MostExamined is { } most)
        {
            return await ListAsync(
                Sql.Queries["search_instances"], query.NewestFirst, PostgresRows.Instance, cancellationToken,
                [.. Parameters(query), Query.Of(most)]).ConfigureAwait(false);
        }

        if (query.CorrelationKey is null)
        {
            return await ListInstancesAsync("list_instances", query, cancellationToken).ConfigureAwait(false);
        }

        var next = await ListInstancesAsync("list_next_of_key", query, cancellationToken).ConfigureAwait(false);
        return next.Count == query.Limit
            ? next
            : await ListInstancesAsync("list_instances_of_key", query, cancellationToken).ConfigureAwait(false);
    }

    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_instances"], query.NewestFirst, most, cancellationToken,
            Parameters(query with { Limit = most }));

    public async Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        await _database.ReadAsync(Sql.Queries["find_history"], r => r.GetString(0), cancellationToken, Query.Of(id))
            .ConfigureAwait(false)
            is { Count: > 0 } parts ? string.Concat(parts) : null;

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        _database.ReadAsync(
            Sql.Queries["find_children"], r => r.GetGuid(0), cancellationToken, Query.Of(parent), Query.Of(limit));

    public async Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        (await _database.ReadAsync(Sql.Queries["find_task"], PostgresRows.Task, cancellationToken, Query.Of(id))
            .ConfigureAwait(false))
            .FirstOrDefault();

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        query.MostExamined is { } most
            ? ListAsync(
                Sql.Queries["search_tasks"], query.NewestFirst, PostgresRows.Task, cancellationToken,
                [.. Parameters(query), Query.Of(most)])
            : ListAsync(
                Sql.Queries["list_tasks"], query.NewestFirst, PostgresRows.Task, cancellationToken, Parameters(query));

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_tasks"], query.NewestFirst, most, cancellationToken,
            Parameters(query with { Limit = most }));

    public async Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        (await _database.ReadAsync(Sql.Queries["find_dead_letter"], PostgresRows.DeadLetter, cancellationToken,
            Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) =>
        query.MostExamined is { } most
            ? ListAsync(
                Sql.Queries["search_dead_letters"], query.NewestFirst, PostgresRows.DeadLetter, cancellationToken,
                [.. Parameters(query), Query.Of(most)])
            : ListAsync(
                Sql.Queries["list_dead_letters"], query.NewestFirst, PostgresRows.DeadLetter, cancellationToken,
                Parameters(query));

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            Sql.Queries["count_dead_letters"], query.NewestFirst, most, cancellationToken,
            Parameters(query with { Limit = most }));

    public async Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken)
    {
        var pages =
            await _database.ReadAsync(Sql.Queries["read_events"], r => (First: r.GetInt64(0), Text: r.GetString(1)),
                cancellationToken, Query.Of(stream), Query.Of(afterSequence), Query.Of(limit)).ConfigureAwait(false);
        return [.. pages.SelectMany(page => EventPage.Read(stream, page.First, page.Text, afterSequence)).Take(limit)];
    }

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        _database.ReadAsync(
            _database.Lookups, Sql.Definitions["load_definitions"], PostgresRows.Definition, cancellationToken,
            Query.Of(after));

    public async Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken)
    {
        // PostgreSQL keeps microseconds: what is stored must compare equal to what was offered.
        var offered =
            definition.RegisteredUtc.AddTicks(-(definition.RegisteredUtc.Ticks % TimeSpan.TicksPerMicrosecond));
        var stored = (await _database.ReadAsync(
            Sql.Definitions["add_definition"],
            PostgresRows.Definition,
            cancellationToken,
            Query.Of(definition.Name),
            Query.Of(definition.Version),
            Query.Of(definition.ContentHash),
            Query.Of(definition.Body),
            Query.Of(offered.UtcDateTime)).ConfigureAwait(false))[0];
        return stored.RegisteredUtc == offered && stored.ContentHash == definition.ContentHash
            ? definition with { Number = stored.Number } : stored;
    }

    /// <summary>Adds the pages that have filled up to the index of correlation keys.</summary>
    public async Task MaintainAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var (first, began) = (_summarized, Stopwatch.GetTimestamp());
            _summarized = (await _database.MaintainAsync(
                Sql.Retention["summarize_finished"], r => r.GetInt64(0), cancellationToken,
                Query.Of(first), Query.Of(RangesAtOnce)).ConfigureAwait(false))[0];
            if (_summarized < first + RangesAtOnce)
            {
                return;
            }

            await Task.Delay(RestAfterUpkeep * Stopwatch.GetElapsedTime(began), cancellationToken)
                .ConfigureAwait(false);
        }
    }

    public async Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken)
    {
        var hasMore = await TrimLanesAsync("trim_batches", _batchesRemoved).ConfigureAwait(false);
        hasMore |= await TrimLanesAsync(
            "trim_events", _eventsRemoved, Query.Of(request.EventsBeforeUtc.UtcDateTime)).ConfigureAwait(false);
        hasMore |= await TrimKeysAsync(request, cancellationToken).ConfigureAwait(false);
        hasMore |= await RemoveAsync("trim_replies", null).ConfigureAwait(false);
        hasMore |= await RemoveAsync("trim_dead_letters", request.ReplayedBeforeUtc).ConfigureAwait(false);
        if (request.FinishedBeforeUtc is not { } finished)
        {
            return hasMore;
        }

        var oldest = InstanceQuery.LowestId(finished);
        var hasParts = await RemoveAsync("trim_tasks", finished, Query.Of(oldest)).ConfigureAwait(false);
        hasParts |= await RemoveAsync("trim_children", finished, Query.Of(oldest)).ConfigureAwait(false);
        hasParts |= await RemoveAsync("trim_history", finished, Query.Of(oldest)).ConfigureAwait(false);
        return hasParts || await RemoveAsync("trim_finished", finished, Query.Of(oldest)).ConfigureAwait(false)
            || hasMore;

        async Task<bool> RemoveAsync(string statement, DateTimeOffset? before, params NpgsqlParameter[] others) =>
            (await _database.MaintainAsync(
                Sql.Retention[statement], r => r.GetInt64(0), cancellationToken,
                [Query.Of(request.Limit),
                    .. before is { } b ? [Query.Of(b.UtcDateTime)] : Array.Empty<NpgsqlParameter>(), .. others])
                .ConfigureAwait(false))[0] == request.Limit;

        // The oldest rows of each lane; the next call goes on behind them.
        async Task<bool> TrimLanesAsync(string statement, long[] removed, params NpgsqlParameter[] others)
        {
            var lanes = await _database.MaintainAsync(
                Sql.Retention[statement], r => (Lane: r.GetInt32(0), Count: r.GetInt64(1), Last: r.GetInt64(2)),
                cancellationToken,
                [Query.Of(request.Limit), Query.Of(removed), .. others]).ConfigureAwait(false);
            foreach (var (lane, _, last) in lanes)
            {
                removed[lane] = last;
            }

            return lanes.Sum(lane => lane.Count) == request.Limit;
        }
    }

    /// <summary>
    /// Keys have no index by time, which each insert would pay for: a call looks at some pages, the next one goes on.
    /// </summary>
    private async Task<bool> TrimKeysAsync(TrimRequest request, CancellationToken cancellationToken)
    {
        var (removed, isLast) = (await _database.MaintainAsync(
            Sql.Retention["trim_keys"],
            r => (r.GetInt64(0), r.GetBoolean(1)),
            cancellationToken,
            Query.Of(request.Limit),
            Query.Of(request.KeysBeforeUtc.UtcDateTime),
            Query.Of(_keyPage),
            Query.Of(PagesAtOnce)).ConfigureAwait(false))[0];
        if (removed < request.Limit)
        {
            _keyPage = isLast ? 0 : _keyPage + PagesAtOnce;
        }

        return removed == request.Limit;
    }

    public async ValueTask DisposeAsync()
    {
        await _cluster.DisposeAsync().ConfigureAwait(false);
        await _database.DisposeAsync().ConfigureAwait(false);
    }

    private Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        string statement, InstanceQuery query, CancellationToken cancellationToken) =>
        ListAsync(
            Sql.Queries[statement], query.NewestFirst, PostgresRows.Instance, cancellationToken, Parameters(query));

    private Task<IReadOnlyList<T>> ListAsync<T>(
        string sql, bool newestFirst, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken,
        NpgsqlParameter[] parameters) =>
        _database.ReadAsync(Sql.Ordered(sql, newestFirst), read, cancellationToken, parameters);

    private async Task<ListCount> CountAsync(
        string sql, bool newestFirst, int most, CancellationToken cancellationToken,
        NpgsqlParameter[] parameters)
    {
        var (matching, examined, last) = (await _database.ReadAsync(
            Sql.Ordered(sql, newestFirst),
            r => (r.GetInt32(0), r.GetInt32(1), r.IsDBNull(2) ? (Guid?)null : r.GetGuid(2)),
            cancellationToken,
            parameters).ConfigureAwait(false))[0];
        return new(matching, examined, examined == most ? last : null);
    }

    private static NpgsqlParameter[] Parameters(InstanceQuery query) =>
    [
        Optional(query.Definition, NpgsqlDbType.Text),
        Optional((short?)query.State, NpgsqlDbType.Smallint),
        Optional(query.CorrelationKey, NpgsqlDbType.Text),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit),
        Optional(query.Before, NpgsqlDbType.Uuid),
        Optional(query.DefinitionPrefix, NpgsqlDbType.Text),
        Optional(query.CorrelationKeyPrefix, NpgsqlDbType.Text),
    ];

    private static NpgsqlParameter[] Parameters(TaskQuery query) =>
    [
        Optional(query.Assignee, NpgsqlDbType.Text),
        Optional(query.Group, NpgsqlDbType.Text),
        Optional((short?)query.State, NpgsqlDbType.Smallint),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit),
        Optional(query.Before, NpgsqlDbType.Uuid),
    ];

    private static NpgsqlParameter[] Parameters(DeadLetterQuery query) =>
    [
        Query.Of(query.Replayed),
        Optional((short?)query.Kind, NpgsqlDbType.Smallint),
        Optional(query.InstanceId, NpgsqlDbType.Uuid),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit),
        Optional(query.Before, NpgsqlDbType.Uuid),
    ];

    private static NpgsqlParameter Optional(object? value, NpgsqlDbType type) =>
        new() { Value = value ?? DBNull.Value, NpgsqlDbType = type };
}
