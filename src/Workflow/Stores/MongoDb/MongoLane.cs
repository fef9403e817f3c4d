using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// The writer of one lane: one session, one transaction a flush, one commit. The first write of each is the lane's own
/// document, which is the fence.
/// </summary>
internal sealed class MongoLane(
    MongoDatabase database, IClientSessionHandle session, LaneAssignment assignment, TimeSpan flushTimeout)
    : ILaneStore
{
    public const int Partitions = 64;

    private readonly IReadOnlyList<int> _partitions =
        [.. Enumerable.Range(0, Partitions).Where(p => assignment.Owns((short)p))];
    private long _epoch;
    private bool _hasUnansweredFlush;
    private bool _isSessionIdle;

    public IDormantInstances Dormant => Instances;

    private MongoDormantInstances Instances => field ??= new(database, _partitions);

    private BsonValue SessionId => session.ServerSession.Id["id"];

    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        var lane = await database.TransactAsync(
            session, TakeAsync, cancellationToken, () => EndPredecessorAsync(cancellationToken)).ConfigureAwait(false);
        (_epoch, _isSessionIdle) = (lane["epoch"].ToInt64(), true);
        var (dormant, tasks) = lane.GetValue("lanes", 0).ToInt32() == assignment.Count
            ? (lane["dormant"].ToInt64(), lane["dormantTasks"].ToInt64())
            : await Instances.CountAsync(cancellationToken).ConfigureAwait(false);
        var positions = await database.LoadAsync(
            session, "lanes", new(), d => d.GetValue("lastPosition", 0L).ToInt64(), cancellationToken)
            .ConfigureAwait(false);
        return new()
        {
            Epoch = _epoch,
            LastPosition = positions.Max(),
            Instances = await database.CountAsync("instances", Resident(_partitions), cancellationToken)
                .ConfigureAwait(false),
            DormantInstances = dormant,
            DormantTasks = tasks,
            LastBatch = lane["lastBatch"].ToInt64(),
            LastSequence = lane["lastSequence"].ToInt64(),
            PublishedSequence = lane["publishedSequence"].ToInt64(),
            Pending = [.. (await ReadOwnAsync("pending", new(), MongoRows.Pending, cancellationToken)
                    .ConfigureAwait(false))
                .OrderBy(p => p.Position)],
            LastMessagePosition = (await LastMessageAsync().ConfigureAwait(false)).Select(m => m.Position)
                .FirstOrDefault(),
            DeadLetters = await ReadOwnAsync("dead_letters", new("isOpen", true), MongoRows.DeadLetter,
                cancellationToken, new() { Sort = new BsonDocument("_id", 1) }).ConfigureAwait(false),
        };

        // Of every partition, by the index of inboxes.
        Task<IReadOnlyList<PendingRow>> LastMessageAsync()
        {
            var every = MongoRows.In(Enumerable.Range(0, Partitions));
            return database.LoadAsync(
                session, "pending", new() { { "kind", (int)PendingKind.Message }, { "partition", every } },
                MongoRows.Pending,
                cancellationToken, new() { Sort = new BsonDocument("position", -1), Limit = 1 });
        }
    }

    public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) =>
        database.ListAsync(
            "instances", Resident(partitions.Select(p => (int)p)), MongoRows.Instance, cancellationToken,
            new() { Projection = new BsonDocument("history", 0) }, MongoDatabase.LoadLimit);

    public async Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken)
    {
        if (_hasUnansweredFlush)
        {
            throw new FlushException(
                FlushFailure.Unavailable,
                "An earlier flush of this writer has not come back; its lane must be opened again.");
        }

        var steps = MongoFlushStep.Of(batch);
        var scope = database.Scope(session);
        MongoFlushStep? current = null;
        try
        {
            await Deadline.RunAsync(
                token => scope.RunAsync(database.Transaction, WriteAllAsync, token), flushTimeout, database.Time,
                cancellationToken).ConfigureAwait(false);
            _isSessionIdle = true;
        }
        catch (Exception e)
        {
            // The session does not know about a call that did not end; the next owner of the lane ends its transaction.
            _hasUnansweredFlush = e is TimeoutException or OperationCanceledException;
            if (!_hasUnansweredFlush)
            {
                await database.AbortAsync(session).ConfigureAwait(false);
            }

            _isSessionIdle = e is FlushException or MongoServerException;
            if (await ExplainAsync(e, current, scope.IsCommitting).ConfigureAwait(false) is { } failure)
            {
                throw failure;
            }

            throw;
        }

        async Task<bool> WriteAllAsync(MongoTransaction transaction)
        {
            await MoveAsync(transaction, batch).ConfigureAwait(false);
            foreach (var step in steps)
            {
                current = step;
                step.Check(await transaction.WriteAsync(step.Collection, step.Models).ConfigureAwait(false));
            }

            current = null;
            return true;
        }
    }

    public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken) =>
        database.ListAsync("idempotency_keys", new("_id", new BsonDocument("$in", new BsonArray(keys))), MongoRows.Key,
            cancellationToken);

    /// <summary>The filter of live instances that are not dormant.</summary>
    private static BsonDocument Resident(IEnumerable<int> partitions) => new()
    {
        { "partition", MongoRows.In(partitions) }, { "state", new BsonDocument("$lte", MongoFlushStep.LastLiveState) },
    };

    /// <summary>
    /// Reads documents of the lane. Positions are sorted by the caller: without an index the server would sort in
    /// memory, which it bounds.
    /// </summary>
    private Task<IReadOnlyList<T>> ReadOwnAsync<T>(
        string collection, BsonDocument filter, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        FindOptions<BsonDocument>? options = null) =>
        database.LoadAsync(
            session, collection, filter.Add("partition", MongoRows.In(_partitions)), read, cancellationToken, options);

    /// <summary>
    /// A session that has left nothing open is the lane's no more: another lane may have it next, and nobody is to end
    /// it for this one's sake.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (_isSessionIdle)
        {
            try
            {
                await database.WriteAsync(
                    "lanes", WriteConcern.W1, MongoDatabase.EndLimit, CancellationToken.None,
                    new UpdateOneModel<BsonDocument>(
                        new BsonDocument { { "_id", assignment.Index }, { "session", SessionId } },
                        new BsonDocument("$unset", new BsonDocument("session", "")))).ConfigureAwait(false);
            }
            catch (StoreUnavailableException)
            {
                // The next owner of the lane overwrites it.
            }
        }

        await database.CloseAsync(session).ConfigureAwait(false);
    }

    private static async Task<BsonDocument?> FirstAsync(MongoTransaction transaction, BsonDocument id) =>
        (await transaction.ListAsync("lanes", id, d => d).ConfigureAwait(false)).FirstOrDefault();

    /// <summary>Raises the epoch, while the lease is held still: a claim that came between would conflict.</summary>
    private async Task<BsonDocument> TakeAsync(MongoTransaction transaction)
    {
        var id = new BsonDocument("_id", assignment.Index);
        if (assignment.Node is { } node
            && await transaction.UpdateAsync(
                "leases", new() { { "_id", assignment.Index }, { "owner", MongoRows.Id(node) } },
                new BsonDocument("$inc", new BsonDocument("takes", 1L))).ConfigureAwait(false) == 0)
        {
            throw new LaneMovedException(assignment.Index);
        }

        var taken = new BsonDocument
        {
            { "$inc", new BsonDocument("epoch", 1L) },
            { "$set", new BsonDocument("session", SessionId) },
            { "$setOnInsert", new BsonDocument
                { { "lastBatch", 0L }, { "lastSequence", 0L }, { "publishedSequence", 0L } } },
        };
        await transaction.UpdateAsync("lanes", id, taken, isUpsert: true).ConfigureAwait(false);
        return await FirstAsync(transaction, id).ConfigureAwait(false)
            ?? throw new LaneMovedException(assignment.Index);
    }

    /// <summary>
    /// A writer that was stopped while it sent a flush has the lane's document until its transaction ends.
    /// </summary>
    private async Task EndPredecessorAsync(CancellationToken cancellationToken)
    {
        var sessions = await database.ListAsync(
            "lanes", new("_id", assignment.Index), d => d.GetValue("session", BsonNull.Value),
            cancellationToken).ConfigureAwait(false);
        await database.EndSessionsAsync(
            sessions.Where(s => !s.IsBsonNull && !s.Equals(SessionId)), cancellationToken).ConfigureAwait(false);
    }

    private async Task MoveAsync(MongoTransaction transaction, FlushBatch batch)
    {
        var expected = new BsonDocument
            { { "_id", assignment.Index }, { "epoch", _epoch }, { "lastBatch", batch.Number - 1 } };
        var moved = new BsonDocument("$set", new BsonDocument
        {
            { "lastBatch", batch.Number },
            { "lastSequence", batch.LastSequence },
            { "publishedSequence", batch.PublishedSequence },
            { "lastPosition", batch.LastPosition },
            { "dormant", batch.DormantInstances },
            { "dormantTasks", batch.DormantTasks },
            { "countedBatch", batch.Number },
            { "lanes", assignment.Count },
        });
        if (await transaction.UpdateAsync("lanes", expected, moved).ConfigureAwait(false) == 1)
        {
            return;
        }

        var lane = await FirstAsync(transaction, new("_id", assignment.Index)).ConfigureAwait(false);
        throw lane is not null && lane["epoch"].ToInt64() == _epoch
            ? new FlushException(FlushFailure.Stale,
                $"Lane {assignment.Index}: batch {batch.Number} does not follow the last one committed, "
                    + $"{lane["lastBatch"]}.")
            : Fenced(null);
    }

    private FlushException Fenced(Exception? inner) =>
        new(FlushFailure.Fenced, $"Lane {assignment.Index}: epoch {_epoch} is over.", inner);

    /// <summary>The meaning of the failure; null if the store did not cause it.</summary>
    private async Task<FlushException?> ExplainAsync(Exception error, MongoFlushStep? step, bool wasCommitting)
    {
        switch (error)
        {
            case FlushException:
                return null;
            case var _ when MongoErrors.IsUnwritable(error):
                return MongoErrors.ToFlushException(FlushFailure.Rejected, error, database.Target);
            case var _ when MongoErrors.IsAborted(error):
                return await IsFencedAsync().ConfigureAwait(false) switch
                {
                    true => Fenced(error),
                    false => MongoErrors.ToFlushException(FlushFailure.Conflict, error, database.Target),
                    null => MongoErrors.ToFlushException(FlushFailure.Unavailable, error, database.Target),
                };
            case var _ when wasCommitting && MongoErrors.IsDriverError(error):
                return MongoErrors.ToFlushException(FlushFailure.Unavailable, error, database.Target);
            case var _ when MongoErrors.IsDuplicate(error):
                return MongoErrors.ToFlushException(
                    step?.Collection == MongoFlushStep.Keys ? FlushFailure.Conflict : FlushFailure.Stale, error,
                    database.Target);
            case MongoBulkWriteException { WriteErrors: [var first, ..] } when step is not null:
                var subject = step.Subject(first.Index);
                return new(FlushFailure.Rejected, MongoErrors.IsTooLarge(first)
                    ? MongoFlushStep.TooLarge(subject, first.Message)
                    : $"The {subject}: {first.Code} {first.Message}", error);
            case var _ when MongoErrors.IsRefusal(error):
                return MongoErrors.ToFlushException(FlushFailure.Rejected, error, database.Target);
            default:
                return MongoErrors.IsDriverError(error)
                    ? MongoErrors.ToFlushException(FlushFailure.Unavailable, error, database.Target)
                    : null;
        }
    }

    /// <summary>
    /// Whether the transaction was ended for the sake of another owner; null when the server does not tell.
    /// </summary>
    private async Task<bool?> IsFencedAsync()
    {
        try
        {
            var epochs = await database.ListAsync(
                "lanes", new("_id", assignment.Index), d => d["epoch"].ToInt64(),
                CancellationToken.None).ConfigureAwait(false);
            return epochs is not [var epoch] || epoch != _epoch;
        }
        catch (StoreUnavailableException)
        {
            return null;
        }
    }
}
