using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// Membership, leases and inboxes. Every instant is <c>$$NOW</c>, the server's clock. Renewals are plain updates that
/// one member acknowledges: after a fail-over a lease ends earlier. All else that changes more than one document is a
/// transaction.
/// </summary>
internal sealed class MongoCluster(MongoDatabase database) : IClusterStore
{
    private const string Root = "lanes";

    /// <summary>The number of the last definition, in the document that nodes join by.</summary>
    private const string Definitions = "definitions";
    private const long ShownMilliseconds = 60_000;
    private const long KeptMilliseconds = 3_600_000;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);
    private static readonly BsonDocument IsExpired = Expression("$lte", "$until", "$$NOW");
    private static readonly BsonDocument Lives = Expression("$gt", "$until", "$$NOW");

    public async Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        var refusal = await database.TransactAsync(
            async t =>
            {
                // One node joins at a time: the second to touch this document is sent back.
                await t.UpdateAsync(
                    "cluster", new("_id", Root), new BsonDocument("$inc", new BsonDocument("joins", 1L)),
                    isUpsert: true).ConfigureAwait(false);
                var (current, joins) = (await t.ListAsync("cluster", new("_id", Root), d =>
                    (d.GetValue("count", lanes).ToInt32(), d["joins"].ToInt64())).ConfigureAwait(false))[0];
                await t.WriteAsync("nodes", [new DeleteManyModel<BsonDocument>(
                    new BsonDocument("$expr", Expression("$lt", "$until", Ago(KeptMilliseconds))))])
                        .ConfigureAwait(false);
                var others = current == lanes
                    ? []
                    : await t.ListAsync("nodes", OtherLiveNodes(node.Id), d => d["name"].AsString)
                        .ConfigureAwait(false);
                if (others.Count > 0)
                {
                    return new LaneCountMismatchException(
                        lanes, current, string.Join(", ", others.Order(StringComparer.Ordinal)));
                }

                await DivideAsync(t, lanes, isChanged: current != lanes).ConfigureAwait(false);
                var joined = Set(
                    ("name", new BsonDocument("$literal", node.Name)),
                    ("started", Expression("$ifNull", "$started", "$$NOW")),
                    ("place", Expression("$ifNull", "$place", joins)),
                    ("left", Expression("$ifNull", "$left", false)),
                    ("until", After(lease)));
                await t.UpdateAsync("nodes", new("_id", MongoRows.Id(node.Id)), joined, isUpsert: true)
                    .ConfigureAwait(false);
                return null;
            },
            cancellationToken,
            () => EndExpiredAsync([], cancellationToken)).ConfigureAwait(false);
        if (refusal is not null)
        {
            throw refusal;
        }
    }

    public async Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken)
    {
        var (until, limit) = (Set(("until", After(lease))), lease < Shortest ? Shortest : lease);
        await WriteAsync("nodes", new UpdateOneModel<BsonDocument>(Active(node), until)).ConfigureAwait(false);
        await WriteAsync(
            "leases", new UpdateManyModel<BsonDocument>(new BsonDocument("owner", MongoRows.Id(node)), until))
            .ConfigureAwait(false);
        var left = new BsonDocument { { "owner", 1 }, { "left", Expression("$subtract", "$until", "$$NOW") } };
        var shown = new BsonDocument
        {
            { "name", 1 }, { "started", 1 }, { "place", 1 }, { "isLive", Expression("$and", Expression("$not", "$left"),
                Lives) },
        };
        var root = database.ListAsync(
            "cluster", new("_id", Root), d => (d.GetValue("count", 0).ToInt32(), d.GetValue(Definitions, 0L).ToInt64()),
            cancellationToken);
        var nodes = database.ListNewestAsync(
            "nodes",
            new("$expr", Expression("$gt", "$until", Ago(ShownMilliseconds))),
            d => (Place: d["place"].ToInt64(), Row: new NodeRow(
                d["_id"].AsGuid, d["name"].AsString, new(d["started"].ToUniversalTime(), TimeSpan.Zero),
                d["isLive"].AsBoolean)),
            cancellationToken,
            shown);
        var leases = database.ListNewestAsync("leases", new(), d => d, cancellationToken, left);
        var ends = ReadStreamEndsAsync(cancellationToken);
        var owners = (await leases.ConfigureAwait(false)).ToDictionary(d => d["_id"].ToInt32());
        var (count, lastDefinition) = await root.ConfigureAwait(false) is [(> 0, _) and var one]
            ? one
            : throw new StoreUnavailableException(
                $"{database.Target}: no node has ever joined this store.", outcomeUnknown: false);
        return new()
        {
            LaneCount = count,
            LastDefinition = lastDefinition,
            Nodes = [.. (await nodes.ConfigureAwait(false)).OrderBy(n => n.Place).Select(n => n.Row)],
            Lanes = [.. (await ends.ConfigureAwait(false)).OrderBy(e => e.Key)
                .Select(e => Lease(e.Key, owners.GetValueOrDefault(e.Key), e.Value))],
        };

        Task<BulkWriteResult<BsonDocument>> WriteAsync(string collection, WriteModel<BsonDocument> model) =>
            database.WriteAsync(collection, WriteConcern.W1, limit, cancellationToken, model);
    }

    public async Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        var taken = new List<int>();
        try
        {
            foreach (var lane in lanes.Order())
            {
                if (await TryClaimAsync(node, lane, lease, cancellationToken).ConfigureAwait(false))
                {
                    taken.Add(lane);
                }
            }

            if (taken.Count < lanes.Count)
            {
                await EndExpiredAsync([.. lanes.Except(taken)], cancellationToken).ConfigureAwait(false);
            }
        }
        catch (StoreUnavailableException) when (taken.Count > 0)
        {
            // Each lane is claimed by itself: those that were taken are owned, and the next claim says what is wrong.
        }

        return taken;
    }

    public Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        lanes.Count == 0
        ? Task.CompletedTask
        : database.WriteAsync("leases", database.Durable, MongoDatabase.Limit, cancellationToken,
            new UpdateManyModel<BsonDocument>(Among(lanes).Add("owner", MongoRows.Id(node)), Freed()));

    public Task LeaveAsync(Guid node, CancellationToken cancellationToken) => database.TransactAsync(
        async t =>
        {
            await t.UpdateAsync("nodes", new("_id", MongoRows.Id(node)), Set(("left", true))).ConfigureAwait(false);
            await t.WriteAsync("leases",
                [new UpdateManyModel<BsonDocument>(new BsonDocument("owner", MongoRows.Id(node)), Freed())])
                    .ConfigureAwait(false);
            return true;
        },
        cancellationToken);

    public async Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken)
    {
        if (messages.Count == 0)
        {
            return [];
        }

        // Of one key in several messages the first counts.
        var first = messages.Where(m => m.Key is not null).DistinctBy(m => m.Key!.Key)
            .ToDictionary(m => m.Key!.Key, StringComparer.Ordinal);
        var wanted = new BsonDocument("_id", new BsonDocument("$in", new BsonArray(first.Keys)));
        return await database.TransactAsync(
            async t =>
            {
                var known = first.Count == 0
                    ? []
                    : await t.ListAsync("idempotency_keys", wanted, MongoRows.Key).ConfigureAwait(false);
                var names = known.Select(k => k.Key).ToHashSet(StringComparer.Ordinal);
                var added = first.Values.Where(m => !names.Contains(m.Key!.Key)).ToArray();
                var put = messages.Where(m =>
                    m.Key is null || (!names.Contains(m.Key.Key) && ReferenceEquals(first[m.Key.Key], m))).ToArray();
                if (added.Length > 0)
                {
                    await t.WriteAsync("idempotency_keys",
                        [.. added.Select(m => new InsertOneModel<BsonDocument>(MongoRows.Of(m.Key!)))])
                            .ConfigureAwait(false);
                }

                if (put.Length > 0)
                {
                    await t.WriteAsync(
                        "pending",
                        [.. put.Select(m => new InsertOneModel<BsonDocument>(MongoRows.Of(m.Row)))])
                        .ConfigureAwait(false);
                }

                return (IReadOnlyList<IdempotencyRow>)[.. known, .. added.Select(m => m.Key!)];
            },
            cancellationToken).ConfigureAwait(false);
    }

    public async Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken)
    {
        var mine = Enumerable.Range(0, MongoLane.Partitions).Where(p => lanes.Any(l => l.Owns((short)p)));
        return await database.ListAsync(
            "pending",
            new()
                { { "kind", (int)PendingKind.Message }, { "partition", new BsonDocument("$in", new BsonArray(mine)) } },
            MongoRows.Pending,
            cancellationToken,
            new() { Sort = new BsonDocument("position", 1), Limit = limit }).ConfigureAwait(false);
    }

    public async Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken)
    {
        var replies = await database.ListAsync("replies", AnswersTo(messages), MongoRows.Reply, cancellationToken)
            .ConfigureAwait(false);
        if (replies.Count > 0)
        {
            var taken = new DeleteManyModel<BsonDocument>(AnswersTo(replies.Select(r => r.MessageId)));
            await database.WriteAsync("replies", database.Durable, MongoDatabase.Limit, cancellationToken, taken)
                .ConfigureAwait(false);
        }

        return replies;

        static BsonDocument AnswersTo(IEnumerable<Guid> ids) => new("_id", MongoRows.In(ids.Select(MongoRows.Id)));
    }

    public async Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        (await database.ListAsync(
            "lanes", new(), d => KeyValuePair.Create(d["_id"].ToInt32(), d["lastSequence"].ToInt64()),
            cancellationToken).ConfigureAwait(false)).ToDictionary();

    /// <summary>
    /// Takes the next numbers for definitions; the last of them is returned. Of two transactions that do so at once the
    /// second is sent back: no number can be seen before those below it.
    /// </summary>
    public static async Task<long> NumberDefinitionsAsync(MongoTransaction t, long count)
    {
        var filter = new BsonDocument("_id", Root);
        await t.UpdateAsync(
            "cluster", filter, new BsonDocument("$inc", new BsonDocument(Definitions, count)), isUpsert: true)
            .ConfigureAwait(false);
        return (await t.ListAsync("cluster", filter, d => d[Definitions].ToInt64()).ConfigureAwait(false))[0];
    }

    private static async Task DivideAsync(MongoTransaction t, int lanes, bool isChanged)
    {
        await t.UpdateAsync("cluster", new("_id", Root), new BsonDocument("$set", new BsonDocument("count", lanes)))
            .ConfigureAwait(false);
        if (isChanged)
        {
            await t.WriteAsync("leases", [new UpdateManyModel<BsonDocument>(new BsonDocument(), Freed())])
                .ConfigureAwait(false);
            var changed = new BsonDocument
            {
                { "$inc", new BsonDocument("epoch", 1L) },
                { "$unset", new BsonDocument("lanes", "") }, // What is dormant in each is counted anew.
            };
            await t.WriteAsync("lanes", [new UpdateManyModel<BsonDocument>(new BsonDocument(), changed)])
                .ConfigureAwait(false);
        }

        var known = await t.ListAsync("lanes", new(), d => d["_id"].ToInt32()).ConfigureAwait(false);
        var missing = Enumerable.Range(0, lanes).Except(known).ToArray();
        await InsertAsync("lanes", missing, lane => new()
        {
            { "_id", lane }, { "epoch", 1L }, { "lastBatch", 0L }, { "lastSequence", 0L }, { "publishedSequence", 0L },
        }).ConfigureAwait(false);
        var leased = await t.ListAsync("leases", new(), d => d["_id"].ToInt32()).ConfigureAwait(false);
        await InsertAsync("leases", known.Concat(missing).Except(leased).ToArray(), lane =>
            new() { { "_id", lane }, { "owner", BsonNull.Value }, { "until", new BsonDateTime(0) } })
                .ConfigureAwait(false);

        async Task InsertAsync(string collection, int[] ids, Func<int, BsonDocument> write)
        {
            if (ids.Length > 0)
            {
                await t.WriteAsync(collection, [.. ids.Select(i => new InsertOneModel<BsonDocument>(write(i)))])
                    .ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// Lease and epoch change together or not at all. What another transaction is at, a flush that has not ended, is
    /// left for the next claim: nobody waits here.
    /// </summary>
    private async Task<bool> TryClaimAsync(Guid node, int lane, TimeSpan lease, CancellationToken cancellationToken)
    {
        try
        {
            return await database.TransactAsync(
                async t =>
                {
                    // Touched, not only read: a node that leaves meanwhile conflicts.
                    var free = new BsonDocument
                    {
                        { "_id", lane },
                        { "$or", new BsonArray
                            { new BsonDocument("owner", BsonNull.Value), new BsonDocument("$expr", IsExpired) } },
                    };
                    return await t.UpdateAsync(
                        "nodes", Active(node),
                        new BsonDocument("$inc", new BsonDocument("claims", 1L))).ConfigureAwait(false) == 1
                        && await t.UpdateAsync(
                            "leases", free,
                            Set(("owner", MongoRows.Id(node)), ("until", After(lease)))).ConfigureAwait(false) == 1
                        && await t.UpdateAsync(
                            "lanes", new("_id", lane),
                            new BsonDocument("$inc", new BsonDocument("epoch", 1L))).ConfigureAwait(false) == 1;
                },
                cancellationToken,
                attempts: 1).ConfigureAwait(false);
        }
        catch (StoreUnavailableException e) when (e.InnerException is { } cause && MongoErrors.IsAborted(cause))
        {
            return false;
        }
    }

    /// <summary>
    /// An owner that was stopped while it sent a flush holds the lane's document until its transaction ends. Its lease
    /// is over: nothing of that flush may be committed.
    /// </summary>
    private async Task EndExpiredAsync(IReadOnlyCollection<int> lanes, CancellationToken cancellationToken)
    {
        var filter = (lanes.Count == 0 ? new() : Among(lanes)).Add("owner", new BsonDocument("$ne", BsonNull.Value))
            .Add("$expr", IsExpired);
        var expired = await database.ListNewestAsync(
            "leases", filter, d => d["_id"].ToInt32(), cancellationToken, new("_id", 1)).ConfigureAwait(false);
        if (expired.Count > 0)
        {
            var sessions = await database.ListAsync(
                "lanes", Among(expired), d => d.GetValue("session", BsonNull.Value),
                cancellationToken).ConfigureAwait(false);
            await database.EndSessionsAsync(sessions.Where(s => !s.IsBsonNull), cancellationToken)
                .ConfigureAwait(false);
        }
    }

    private static LeaseRow Lease(int lane, BsonDocument? lease, long lastSequence) =>
        lease is null || lease["owner"].IsBsonNull
        ? new(lane, null, TimeSpan.Zero, lastSequence)
        : new(lane, lease["owner"].AsGuid, TimeSpan.FromMilliseconds(lease["left"].ToInt64()), lastSequence);

    private static BsonDocument Active(Guid node) => new() { { "_id", MongoRows.Id(node) }, { "left", false } };

    private static BsonDocument OtherLiveNodes(Guid node) =>
        new() { { "_id", new BsonDocument("$ne", MongoRows.Id(node)) }, { "left", false }, { "$expr", Lives } };

    private static BsonDocument Among(IReadOnlyCollection<int> lanes) =>
        new("_id", new BsonDocument("$in", new BsonArray(lanes)));

    private static BsonDocument After(TimeSpan lease) => Expression("$add", "$$NOW", (long)lease.TotalMilliseconds);

    private static BsonDocument Ago(long milliseconds) => Expression("$subtract", "$$NOW", milliseconds);

    private static PipelineUpdateDefinition<BsonDocument> Freed() => Set(("owner", BsonNull.Value), ("until", "$$NOW"));

    private static PipelineUpdateDefinition<BsonDocument> Set(params (string Name, BsonValue Value)[] members)
    {
        var values = new BsonDocument();
        foreach (var (name, value) in members)
        {
            values.Add(name, value);
        }

        return new(new[] { new BsonDocument("$set", values) });
    }

    private static BsonDocument Expression(string name, params BsonValue[] operands) =>
        new(name, new BsonArray(operands));
}
