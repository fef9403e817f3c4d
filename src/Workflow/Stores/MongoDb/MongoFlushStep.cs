using Workflow.Contracts.Instances;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// One bulk of a flush: the models for one collection, removals first, and what each of them is about in words.
/// </summary>
internal sealed class MongoFlushStep(string collection)
{
    /// <summary>The collection of idempotency keys.</summary>
    public const string Keys = "idempotency_keys";

    /// <summary>The states of live instances are this one and those before it.</summary>
    public const int LastLiveState = (int)InstanceState.Suspended;

    /// <summary>Largest document the server takes, less what an instance has beside its texts.</summary>
    private const int LargestTextBytes = (16 << 20) - (16 << 10);

    private readonly List<WriteModel<BsonDocument>> _models = [];
    private readonly List<string> _subjects = [];
    private int _inserts;
    private int _updates;
    private int _removals;

    public string Collection => collection;

    public IReadOnlyList<WriteModel<BsonDocument>> Models => _models;

    /// <summary>
    /// The bulks of a batch, in the order in which they are sent; the lane's own document is not among them.
    /// </summary>
    /// <exception cref="FlushException">An instance is too large.</exception>
    public static IReadOnlyList<MongoFlushStep> Of(FlushBatch batch)
    {
        var instances = new MongoFlushStep("instances");
        // The driver sends a command for each run of one kind of write: new ones first, then changes, or each might be
        // a run.
        foreach (var (origin, row) in batch.Instances.OrderBy(write => write.Origin != InstanceOrigin.New))
        {
            CheckSize(row);
            if (origin == InstanceOrigin.New)
            {
                instances.Insert($"instance {row.Id}", MongoRows.Of(row));
                continue;
            }

            instances.Update(
                $"instance {row.Id}", Stored(row.Id, row.Revision - 1, origin),
                Change(row, wakes: origin == InstanceOrigin.Dormant));
        }

        foreach (var write in batch.Dormant)
        {
            instances.Update(
                $"instance {write.Id}", Stored(write.Id, write.Revision, InstanceOrigin.Live),
                new BsonDocument("$rename", new BsonDocument("partition", "dormantPartition"))
                    .Add("$set", new BsonDocument("dueMicros", MongoRows.Micros(write.NextDueUtc)),
                        write.NextDueUtc is not null));
        }

        var tasks = new MongoFlushStep("tasks")
            .Insert(batch.Tasks.OfType<TaskRow>(), r => $"task {r.Id}", MongoRows.Of);
        foreach (var change in batch.Tasks.OfType<TaskChange>())
        {
            tasks.Update(
                $"task {change.Id}", new() { { "_id", MongoRows.Id(change.Id) }, { "state", 0 } }, Change(change));
        }

        var deadLetters = new MongoFlushStep("dead_letters")
            .Insert(batch.DeadLetters.OfType<DeadLetterRow>(), r => $"dead letter {r.Id}", MongoRows.Of);
        foreach (var change in batch.DeadLetters.OfType<DeadLetterChange>())
        {
            deadLetters.Update(
                $"dead letter {change.Id}", new() { { "_id", MongoRows.Id(change.Id) }, { "isOpen", true } },
                Change(change));
        }

        MongoFlushStep[] steps =
        [
            instances,
            new MongoFlushStep("instance_history")
                .Insert(batch.HistoryApart(), r => $"history of instance {r.Id}", MongoRows.History),
            new MongoFlushStep("dormant_waits").Remove(batch.DormantWaitsRemoved, MongoRows.Id)
                .Insert(
                    batch.Dormant.SelectMany(write => write.Waits.Select(wait => (wait, write.Id))),
                    r => $"wait of the dormant instance {r.Id}", MongoRows.Of),
            new MongoFlushStep("pending").Remove(batch.PendingRemoved, MongoRows.Id)
                .Insert(batch.Pending, r => $"pending row {r.Id}", MongoRows.Of),
            tasks,
            new MongoFlushStep("children").Insert(batch.Children, r => $"sub-workflow {r.ChildId}", MongoRows.Of),
            new MongoFlushStep("replies").Insert(batch.Replies, r => $"reply to {r.MessageId}", MongoRows.Of),
            deadLetters,
            new MongoFlushStep(Keys).Insert(batch.Keys, r => $"idempotency key '{r.Key}'", MongoRows.Of),
            new MongoFlushStep("events").Insert(batch.Events, r => $"event {r.Stream}-{r.Sequence}", MongoRows.Of),
        ];
        return Array.FindAll(steps, s => s._models.Count > 0);
    }

    /// <summary>What the model is about, for an error that names it.</summary>
    public string Subject(int index) => _subjects[index];

    /// <summary>Every guard is a filter: what it does not find is missing from the counts.</summary>
    /// <exception cref="FlushException">Some did not find what they were for.</exception>
    public void Check(BulkWriteResult result)
    {
        Expect(result.DeletedCount, _removals, "removed");
        Expect(result.MatchedCount, _updates, "changed");
        Expect(result.InsertedCount, _inserts, "added");
    }

    private void Expect(long found, int wanted, string what)
    {
        if (found != wanted)
        {
            throw new FlushException(
                FlushFailure.Stale, $"Memory and store disagree: {found} of {wanted} {collection} could be {what}.");
        }
    }

    private MongoFlushStep Remove<T>(List<T> removed, Func<T, BsonValue> id)
    {
        _removals += removed.Count;
        if (removed.Count > 0)
        {
            Add($"{removed.Count} removals",
                new DeleteManyModel<BsonDocument>(new BsonDocument("_id", MongoRows.In(removed.Select(id)))));
        }

        return this;
    }

    private MongoFlushStep Insert<TRow>(
        IEnumerable<TRow> rows, Func<TRow, string> subject, Func<TRow, BsonDocument> write)
    {
        foreach (var row in rows)
        {
            Insert(subject(row), write(row));
        }

        return this;
    }

    private void Insert(string subject, BsonDocument document)
    {
        _inserts++;
        Add(subject, new InsertOneModel<BsonDocument>(document));
    }

    private void Update(string subject, BsonDocument filter, BsonDocument update)
    {
        _updates++;
        Add(subject, new UpdateOneModel<BsonDocument>(filter, update));
    }

    private void Add(string subject, WriteModel<BsonDocument> model)
    {
        _models.Add(model);
        _subjects.Add(subject);
    }

    /// <summary>The instance as it must be stored.</summary>
    private static BsonDocument Stored(Guid id, long revision, InstanceOrigin origin) => new()
    {
        { "_id", MongoRows.Id(id) },
        { "revision", revision },
        {
            "state",
            origin == InstanceOrigin.Failed ? (int)InstanceState.Failed : new BsonDocument("$lte", LastLiveState)
        },
        { "dormantPartition", origin == InstanceOrigin.Dormant ? new BsonDocument("$gte", 0) : BsonNull.Value },
    };

    private static BsonDocument Change(InstanceRow row, bool wakes)
    {
        var change = new BsonDocument("$set", new BsonDocument
        {
            { "revision", row.Revision },
            { "state", (int)row.State },
            { "body", row.Body },
            { "updatedMicros", MongoRows.Micros(row.UpdatedUtc) },
        });
        if (wakes)
        {
            change.Add("$rename", new BsonDocument("dormantPartition", "partition"))
                .Add("$unset", new BsonDocument("dueMicros", ""));
        }

        return row.HistoryInRow.Length == 0
            ? change
            : change.Add("$push", new BsonDocument("history", row.HistoryInRow));
    }

    private static BsonDocument Change(TaskChange change) => new("$set", new BsonDocument
    {
        { "state", (int)change.State },
        { "assignee", MongoRows.Text(change.Assignee) },
        { "output", MongoRows.Text(change.Output) },
        { "updatedMicros", MongoRows.Micros(change.UpdatedUtc) },
    });

    private static BsonDocument Change(DeadLetterChange change) => new("$set", new BsonDocument
    {
        { "reason", change.Reason },
        { "attempts", change.Attempts },
        { "lastAttemptMicros", MongoRows.Micros(change.LastAttemptUtc) },
        { "isOpen", change.Applied is null },
        { "replayedMicros", change.Applied is null ? BsonNull.Value : MongoRows.Micros(change.LastAttemptUtc) },
        { "applied", change.Applied is { } applied ? applied : BsonNull.Value },
    });

    // The driver would refuse it without a word of whose it is. A history that grows past the limit is found by the
    // server.
    private static void CheckSize(InstanceRow row)
    {
        if (row.Body.Length + row.History.Length > LargestTextBytes / 3
            && Encoding.UTF8.GetByteCount(row.Body) + Encoding.UTF8.GetByteCount(row.History) is var bytes
            && bytes > LargestTextBytes)
        {
            throw new FlushException(
                FlushFailure.Rejected,
                TooLarge($"instance {row.Id}", $"its variables and this step's history have {bytes:N0} bytes"));
        }
    }

    public static string TooLarge(string subject, string why) =>
        $"The {subject} would be larger than a MongoDB document may be (16 MiB with its history): {why}. Keep large "
            + "content elsewhere and a reference to it in the variables.";
}
