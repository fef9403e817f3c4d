using System.Text.RegularExpressions;
using Workflow.Abstractions;
using Workflow.Contracts.Instances;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// The store on a MongoDB replica set, 5.0 or newer. Several nodes share a database by leases on its lanes; what
/// protects the data is the epoch of each lane, which every flush changes its lane's document under, in the transaction
/// that holds the batch.
/// </summary>
public sealed class MongoStore : IWorkflowStore
{
    private const long ReplyKeptMicros = 600_000_000;

    private readonly MongoDatabase _database;
    private readonly TimeSpan _flushTimeout;

    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <param name="options">Where, and its limits.</param>
    /// <param name="timeProvider">For limits; the system's when omitted.</param>
    /// <exception cref="ArgumentException">
    /// The connection string or the database's name is wrong; the message has no password.
    /// </exception>
    public MongoStore(MongoStoreOptions options, TimeProvider? timeProvider = null)
    {
        _flushTimeout = options.FlushTimeout;
        _database = new(new(options.ConnectionString), _flushTimeout, timeProvider ?? TimeProvider.System);
        Cluster = new MongoCluster(_database);
    }

    public string Description => _database.Target.ToString();

    public IClusterStore Cluster { get; }

    /// <exception cref="Abstractions.Exceptions.StoreUnavailableException">
    /// The server cannot be reached, is too old, or has no transactions.
    /// </exception>
    public Task OpenAsync(CancellationToken cancellationToken) =>
        new MongoSchema(_database).ApplyAsync(cancellationToken);

    public async Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        (await Cluster.ReadStreamEndsAsync(cancellationToken).ConfigureAwait(false)).Keys.Select(lane => lane + 1)
            .DefaultIfEmpty(0).Max();

    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken) =>
        new MongoLane(
            _database, await _database.StartSessionAsync(cancellationToken).ConfigureAwait(false), lane, _flushTimeout);

    public Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync("instances", MongoRows.Id(id), MongoRows.Instance, cancellationToken, WithoutHistory());

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken)
    {
        var filter = new BsonDocument()
            .Add("state", (int)query.State.GetValueOrDefault(), query.State is not null);
        AddText(filter, "definition", query.Definition, query.DefinitionPrefix);
        AddText(filter, "correlationKey", query.CorrelationKey, query.CorrelationKeyPrefix);
        return PageAsync(
            "instances", filter, query.Bounds, query.Limit, MongoRows.Instance, cancellationToken,
            WithoutHistory());
    }

    /// <remarks>An index leads to what failed or was cancelled.</remarks>
    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            "instances",
            new BsonDocument().Add("state", (int)query.State.GetValueOrDefault(), query.State >= InstanceState.Failed),
            query.Bounds, most, ["definition", "state", "correlationKey"],
            d => (query.State is null || d["state"].ToInt32() == (int)query.State)
                && Matches(d["definition"], query.Definition, query.DefinitionPrefix)
                && Matches(d["correlationKey"], query.CorrelationKey, query.CorrelationKeyPrefix),
            cancellationToken);

    public async Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken)
    {
        var inRow = await FirstAsync(
            "instances", MongoRows.Id(id), d => string.Concat(d["history"].AsBsonArray.Select(h => h.AsString)),
            cancellationToken,
            new() { Projection = new BsonDocument("history", 1) }).ConfigureAwait(false);
        return inRow is null ? null : string.Concat((await _database.ListAsync(
            "instance_history", new("_id.instance", MongoRows.Id(id)), d => d["lines"].AsString, cancellationToken,
            new() { Sort = new BsonDocument("_id.revision", 1) }).ConfigureAwait(false)).Prepend(inRow));
    }

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        _database.ListAsync(
            "children",
            new("_id.parent", MongoRows.Id(parent)),
            d => d["_id"]["child"].AsGuid,
            cancellationToken,
            new() { Sort = new BsonDocument("_id.child", 1), Limit = limit });

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync("tasks", MongoRows.Id(id), MongoRows.Task, cancellationToken);

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        PageAsync(
            "tasks",
            new BsonDocument()
                .Add("assignee", MongoRows.Text(query.Assignee), query.Assignee is not null)
                .Add("groups", MongoRows.Text(query.Group), query.Group is not null)
                .Add("state", (int)query.State.GetValueOrDefault(), query.State is not null),
            query.Bounds,
            query.Limit,
            MongoRows.Task,
            cancellationToken);

    /// <remarks>An index leads to the tasks of a state.</remarks>
    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        CountAsync(
            "tasks",
            new BsonDocument().Add("state", (int)query.State.GetValueOrDefault(), query.State is not null),
            query.Bounds, most, ["assignee", "groups"],
            d => Matches(d["assignee"], query.Assignee, prefix: null)
                && (query.Group is null || d["groups"].AsBsonArray.Contains(query.Group)),
            cancellationToken);

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        FirstAsync("dead_letters", MongoRows.Id(id), MongoRows.DeadLetter, cancellationToken);

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) => PageAsync(
        "dead_letters",
        new BsonDocument("isOpen", !query.Replayed)
            .Add("kind", (int)query.Kind.GetValueOrDefault(), query.Kind is not null)
            .Add("instanceId", MongoRows.Id(query.InstanceId), query.InstanceId is not null),
        query.Bounds,
        query.Limit,
        MongoRows.DeadLetter,
        cancellationToken);

    /// <remarks>An index leads to the open ones.</remarks>
    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) => CountAsync(
        "dead_letters",
        new BsonDocument().Add("isOpen", true, !query.Replayed),
        query.Bounds, most, ["kind", "instanceId", "isOpen"],
        d => d["isOpen"].AsBoolean != query.Replayed
            && (query.Kind is null || d["kind"].ToInt32() == (int)query.Kind)
            && (query.InstanceId is null || d["instanceId"] == MongoRows.Id(query.InstanceId)),
        cancellationToken);

    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken) => _database.ListAsync(
        "events",
        new("_id", Between(MongoRows.EventId(stream, afterSequence), MongoRows.EventId(stream + 1, 0) - 1)),
        MongoRows.Event,
        cancellationToken,
        new() { Sort = new BsonDocument("_id", 1), Limit = limit });

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        _database.ListAsync(
            "definitions", new("number", new BsonDocument("$gt", after)), MongoRows.Definition, cancellationToken,
            new() { Sort = new BsonDocument("number", 1) });

    public async Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken)
    {
        var id = MongoRows.IdOf(definition);
        var stored = await _database.TransactAsync(
            async t =>
            {
                if (await t.ListAsync("definitions", new("_id", id), MongoRows.Definition)
                    .ConfigureAwait(false) is [var known])
                {
                    return known;
                }

                var number = await MongoCluster.NumberDefinitionsAsync(t, 1).ConfigureAwait(false);
                await t.WriteAsync("definitions", [new InsertOneModel<BsonDocument>(new()
                {
                    { "_id", id }, { "contentHash", definition.ContentHash }, { "body", definition.Body },
                    { "registeredMicros", MongoRows.Micros(definition.RegisteredUtc) }, { "number", number },
                })]).ConfigureAwait(false);
                return definition with { Number = number };
            },
            cancellationToken).ConfigureAwait(false);

        // Microseconds are kept: what is stored must compare equal to what was offered.
        return stored.ContentHash == definition.ContentHash
            && MongoRows.Micros(stored.RegisteredUtc).Equals(MongoRows.Micros(definition.RegisteredUtc))
            ? definition with { Number = stored.Number } : stored;
    }

    /// <remarks>Keeps finished instances.</remarks>
    public async Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken)
    {
        var lanes = await _database.ListAsync(
            "lanes", new(), d => (Lane: d["_id"].ToInt32(), Published: d["publishedSequence"].ToInt64()),
            cancellationToken).ConfigureAwait(false);
        var hasMore = false;
        foreach (var lane in lanes)
        {
            await RemoveEventsAsync(lane.Lane, lane.Published).ConfigureAwait(false);
        }

        await RemoveAsync("idempotency_keys", Older("createdMicros", request.KeysBeforeUtc)).ConfigureAwait(false);
        await RemoveAsync("dead_letters", Older("replayedMicros", request.ReplayedBeforeUtc)).ConfigureAwait(false);
        var hello = await _database.CommandAsync(new("hello", 1), cancellationToken).ConfigureAwait(false);
        var now = new DateTimeOffset(hello["localTime"].ToUniversalTime(), TimeSpan.Zero);
        await RemoveAsync("replies", Older("createdMicros", now.AddMicroseconds(-ReplyKeptMicros)))
            .ConfigureAwait(false);
        return hasMore;

        // By key, up to the first young one: events have no index by time, which each insert would pay for. Mostly the
        // first one is young.
        async Task RemoveEventsAsync(int lane, long published)
        {
            var before = MongoRows.Micros(request.EventsBeforeUtc).ToInt64();
            if (await FirstAsync(1).ConfigureAwait(false) is [{ IsOld: true }])
            {
                var first = await FirstAsync(request.Limit).ConfigureAwait(false);
                await DeleteAsync("events", [.. first.TakeWhile(e => e.IsOld).Select(e => e.Id)]).ConfigureAwait(false);
            }

            Task<IReadOnlyList<(BsonValue Id, bool IsOld)>> FirstAsync(int limit) => _database.ListAsync(
                "events",
                new("_id", Between(MongoRows.EventId(lane, 0), MongoRows.EventId(lane, published))),
                d => (Id: d["_id"], IsOld: d["createdMicros"].ToInt64() < before),
                cancellationToken,
                new() { Projection = new BsonDocument("createdMicros", 1), Sort = new BsonDocument("_id",
                    1), Limit = limit });
        }

        async Task RemoveAsync(string collection, BsonDocument filter) => await DeleteAsync(
            collection,
            await _database.ListAsync(collection, filter, d => d["_id"], cancellationToken,
                new() { Projection = new BsonDocument("_id", 1), Limit = request.Limit }).ConfigureAwait(false))
                    .ConfigureAwait(false);

        // A delete has no limit: it takes what was found.
        async Task DeleteAsync(string collection, IReadOnlyList<BsonValue> found)
        {
            if (found.Count > 0)
            {
                var old = new DeleteManyModel<BsonDocument>(
                    new BsonDocument("_id", new BsonDocument("$in", new BsonArray(found))));
                await _database.WriteAsync(
                    collection, _database.Durable, MongoDatabase.LoadLimit, cancellationToken,
                    old).ConfigureAwait(false);
            }

            hasMore |= found.Count == request.Limit;
        }
    }

    public ValueTask DisposeAsync()
    {
        _database.Dispose();
        return ValueTask.CompletedTask;
    }

    private static FindOptions<BsonDocument> WithoutHistory() => new() { Projection = new BsonDocument("history", 0) };

    /// <summary>Above the first, up to the last.</summary>
    private static BsonDocument Between(long after, long last) => new() { { "$gt", after }, { "$lte", last } };

    /// <summary>A number is less than a number only, so that what has none is never found.</summary>
    private static BsonDocument Older(string member, DateTimeOffset instant) =>
        new(member, new BsonDocument("$lt", MongoRows.Micros(instant)));

    private static void AddText(BsonDocument filter, string member, string? text, string? prefix)
    {
        // Both may be given.
        var conditions = new BsonDocument()
            .Add("$eq", MongoRows.Text(text), text is not null)
            .Add("$regex", "^" + Regex.Escape(prefix ?? ""), prefix is not null);
        filter.Add(member, conditions, conditions.ElementCount > 0);
    }

    private static bool Matches(BsonValue value, string? text, string? prefix) =>
        (text is null || (value.IsString && value.AsString == text))
        && (prefix is null || (value.IsString && value.AsString.StartsWith(prefix, StringComparison.Ordinal)));

    private Task<IReadOnlyList<T>> PageAsync<T>(
        string collection, BsonDocument filter, ListBounds bounds, int limit, Func<BsonDocument, T> read,
        CancellationToken cancellationToken, FindOptions<BsonDocument>? options = null)
    {
        options ??= new();
        (options.Sort, options.Limit) = (new BsonDocument("_id", bounds.NewestFirst ? -1 : 1), limit);
        var ids = new BsonDocument()
            .Add("$gt", MongoRows.Id(bounds.After), bounds.After is not null)
            .Add("$lt", MongoRows.Id(bounds.Before), bounds.Before is not null);
        return _database.ListAsync(
            collection, filter.Add("_id", ids, ids.ElementCount > 0), read, cancellationToken, options);
    }

    /// <summary>
    /// Reads a few members of the first rows and compares them here: the server would look at more rows to find those
    /// that match.
    /// </summary>
    /// <param name="filter">What an index leads to, at most.</param>
    private async Task<ListCount> CountAsync(
        string collection, BsonDocument filter, ListBounds bounds, int most, string[] members,
        Func<BsonDocument, bool> matches, CancellationToken cancellationToken)
    {
        var examined = await PageAsync(
            collection, filter, bounds, most, d => (Id: d["_id"].AsGuid, IsMatch: matches(d)), cancellationToken,
            new() { Projection = new BsonDocument(members.Select(member => new BsonElement(member, 1))) })
            .ConfigureAwait(false);
        return ListCount.Of(examined, most, row => row.IsMatch, row => row.Id);
    }

    private async Task<T?> FirstAsync<T>(
        string collection, BsonValue id, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        FindOptions<BsonDocument>? options = null)
        where T : class =>
        (await _database.ListAsync(collection, new("_id", id), read, cancellationToken, options).ConfigureAwait(false))
            .FirstOrDefault();
}
