namespace Workflow.Stores.MongoDb;

/// <summary>
/// The dormant instances of one lane. A look-up reads outside the lane's session, and by tasks and slots it is two
/// reads: what has woken in between is not dormant any more and is left out.
/// </summary>
internal sealed class MongoDormantInstances(MongoDatabase database, IReadOnlyList<int> partitions) : IDormantInstances
{
    private const int TasksAtOnce = 1_000;

    private BsonDocument OwnPartitions => MongoRows.In(partitions);

    public async Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken)
    {
        var ids = new HashSet<BsonValue>(lookup.Instances.Select(MongoRows.Id));
        if (lookup.Tasks.Count > 0)
        {
            ids.UnionWith(await ListAsync(
                "tasks", new() { { "_id", MongoRows.In(lookup.Tasks.Select(MongoRows.Id)) }, { "state", 0 } })
                .ConfigureAwait(false));
        }

        if (lookup.Slots.Count > 0)
        {
            ids.UnionWith(await ListAsync(
                "dormant_waits", new("_id.slot", MongoRows.In(lookup.Slots)))
                .ConfigureAwait(false));
        }

        return ids.Count == 0
            ? []
            : await database.ListAsync(
                "instances",
                new() { { "_id", MongoRows.In(ids) }, { "dormantPartition", OwnPartitions } },
                MongoRows.Instance, cancellationToken, new() { Projection = new BsonDocument("history", 0) })
                .ConfigureAwait(false);

        Task<IReadOnlyList<BsonValue>> ListAsync(string collection, BsonDocument filter) => database.ListAsync(
            collection, filter, d => d["instanceId"], cancellationToken,
            new() { Projection = new BsonDocument("instanceId", 1) });
    }

    public Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit, CancellationToken cancellationToken)
    {
        var due = new BsonDocument("$lte", MongoRows.Micros(until));
        var filter = new BsonDocument { { "dueMicros", due }, { "dormantPartition", OwnPartitions } };
        if (after is var (dueUtc, id))
        {
            var last = MongoRows.Micros(dueUtc);
            due.Add("$gte", last);
            filter.Add("$or", new BsonArray
            {
                new BsonDocument("dueMicros", new BsonDocument("$gt", last)),
                new BsonDocument("_id", new BsonDocument("$gt", MongoRows.Id(id))),
            });
        }

        return database.ListAsync(
            "instances", filter, MongoRows.DormantDue, cancellationToken,
            new()
            {
                Projection = new BsonDocument("history", 0),
                Sort = new BsonDocument { { "dueMicros", 1 }, { "_id", 1 } },
                Limit = limit,
            });
    }

    public Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken) =>
        DormantWait.SlotsOf(partition, after) is var (first, last)
            ? database.ListAsync(
                "dormant_waits", new("_id.slot", new BsonDocument { { "$gte", first }, { "$lte", last } }),
                d => d["_id"]["slot"].ToInt64(), cancellationToken,
                new()
                {
                    Projection = new BsonDocument("_id", 1), Sort = new BsonDocument("_id.slot", 1), Limit = limit,
                })
            : Task.FromResult<IReadOnlyList<long>>([]);

    /// <summary>
    /// Counts the dormant instances and their open tasks, after the number of lanes has changed. Tasks are read in
    /// pages: a task does not say whether its instance is dormant.
    /// </summary>
    public async Task<(long Instances, long Tasks)> CountAsync(CancellationToken cancellationToken)
    {
        var instances = await database.CountAsync(
            "instances", new("dormantPartition", OwnPartitions), cancellationToken).ConfigureAwait(false);
        var tasks = 0L;
        for (var last = MongoRows.Id(Guid.Empty); instances > 0;)
        {
            var filter = new BsonDocument
            {
                { "state", 0 }, { "partition", OwnPartitions }, { "_id", new BsonDocument("$gt", last) },
            };
            var page = await database.ListAsync(
                "tasks", filter, d => (Id: d["_id"], Instance: d["instanceId"]), cancellationToken,
                new()
                {
                    Projection = new BsonDocument("instanceId", 1), Sort = new BsonDocument("_id", 1),
                    Limit = TasksAtOnce,
                },
                MongoDatabase.LoadLimit).ConfigureAwait(false);
            var dormant = (await database.ListAsync(
                "instances",
                new()
                {
                    { "_id", MongoRows.In(page.Select(task => task.Instance)) },
                    { "dormantPartition", OwnPartitions },
                },
                d => d["_id"], cancellationToken, new() { Projection = new BsonDocument("_id", 1) })
                .ConfigureAwait(false)).ToHashSet();
            tasks += page.Count(task => dormant.Contains(task.Instance));
            if (page.Count < TasksAtOnce)
            {
                break;
            }

            last = page[^1].Id;
        }

        return (instances, tasks);
    }
}
