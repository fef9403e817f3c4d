using Foundation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// The client, and its four operations: read, write one bulk, run a transaction, run a command. Every wait has a limit.
/// </summary>
internal sealed class MongoDatabase : IDisposable
{
    /// <summary>
    /// The limit of a short call. With 10 s to find a server before the call and 5 s to abort after it, a caller waits
    /// 30 s at most.
    /// </summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(15);

    /// <summary>The limit of a call that reads or removes many documents.</summary>
    public static readonly TimeSpan LoadLimit = TimeSpan.FromMinutes(5);

    /// <summary>The limit of a call that cleans up.</summary>
    public static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan ConflictLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Sessions of this process whose transaction the server may still keep open, because the connection broke.
    /// </summary>
    private readonly ConcurrentQueue<BsonValue> _cutOff = new();
    private readonly MongoClient _client;
    private readonly IMongoDatabase _database;

    public MongoDatabase(MongoTarget target, TimeSpan flushTimeout, TimeProvider time)
    {
        (Target, Time) = (target, time);
        _client = new(target.ToSettings(LoadLimit));
        _database = _client.GetDatabase(target.Database);
        Durable = WriteConcern.WMajority.With(wTimeout: flushTimeout, journal: true);
        Transaction = new(
            readConcern: ReadConcern.Snapshot, readPreference: ReadPreference.Primary, writeConcern: Durable,
            maxCommitTime: flushTimeout);
    }

    public MongoTarget Target { get; }

    public TimeProvider Time { get; }

    /// <summary>The write is in the journals of a majority of members before it is acknowledged.</summary>
    public WriteConcern Durable { get; }

    /// <summary>The options of every transaction.</summary>
    public TransactionOptions Transaction { get; }

    public Task<IClientSessionHandle> StartSessionAsync(CancellationToken cancellationToken) =>
        RunAsync(
            token => _client.StartSessionAsync(new ClientSessionOptions { CausalConsistency = true }, token), Limit,
            cancellationToken);

    /// <summary>Reads what a majority of members have, outside transactions.</summary>
    public Task<IReadOnlyList<T>> ListAsync<T>(
        string collection, BsonDocument filter, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        FindOptions<BsonDocument>? options = null, TimeSpan? limit = null) =>
        RunAsync(
            token => FindAsync(
                null, ReadConcern.Majority, collection, filter, read, options ?? new(), limit ?? Limit, token),
            limit ?? Limit,
            cancellationToken);

    /// <summary>Counts what a majority of members have; takes a time that grows with the count.</summary>
    public async Task<long> CountAsync(string collection, BsonDocument filter, CancellationToken cancellationToken) =>
        (await CommandAsync(
            new()
            {
                { "count", collection }, { "query", filter }, { "readConcern", new BsonDocument("level", "majority") },
                { "maxTimeMS", (long)LoadLimit.TotalMilliseconds },
            },
            cancellationToken, limit: LoadLimit).ConfigureAwait(false))["n"].ToInt64();

    /// <summary>
    /// Reads what the primary has at this instant, also what other members lack yet: a renewal that was just written.
    /// </summary>
    public Task<IReadOnlyList<T>> ListNewestAsync<T>(
        string collection, BsonDocument filter, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        BsonDocument projection) =>
        RunAsync(
            token => FindAsync(
                null, ReadConcern.Local, collection, filter, read, new() { Projection = projection }, Limit, token),
            Limit,
            cancellationToken);

    /// <summary>Reads much on a session, outside transactions: at least what the session has written before.</summary>
    public Task<IReadOnlyList<T>> LoadAsync<T>(
        IClientSessionHandle session, string collection, BsonDocument filter, Func<BsonDocument, T> read,
        CancellationToken cancellationToken, FindOptions<BsonDocument>? options = null) =>
        RunAsync(
            token => FindAsync(
                session, ReadConcern.Majority, collection, filter, read, options ?? new(), LoadLimit, token),
            LoadLimit,
            cancellationToken);

    /// <summary>
    /// Writes a bulk once, outside transactions, each model by itself. The outcome is unknown if the connection breaks.
    /// </summary>
    public Task<BulkWriteResult<BsonDocument>> WriteAsync(
        string collection, WriteConcern concern, TimeSpan limit, CancellationToken cancellationToken,
        params WriteModel<BsonDocument>[] models) => RunAsync(
        token => _database.GetCollection<BsonDocument>(collection).WithWriteConcern(concern)
            .BulkWriteAsync(models, new() { IsOrdered = true }, token),
        limit,
        cancellationToken,
        outcomeUnknown: true);

    /// <summary>A transaction that its owner runs, once.</summary>
    public MongoTransaction Scope(IClientSessionHandle session) => new(session, _database);

    public Task<BsonDocument> CommandAsync(
        BsonDocument command, CancellationToken cancellationToken, string? database = null, TimeSpan? limit = null) =>
        RunAsync(
            token => (database is null ? _database : _client.GetDatabase(database))
                .RunCommandAsync<BsonDocument>(command, cancellationToken: token),
            limit ?? Limit,
            cancellationToken);

    /// <summary>
    /// Runs a transaction on a new session, and repeats it if the server aborted it in favour of another: then nothing
    /// of it was written.
    /// </summary>
    /// <param name="work">Reads and writes on the session; throws to leave nothing behind.</param>
    /// <param name="onConflict">Runs between two attempts.</param>
    /// <param name="attempts">The maximum number of attempts; by default as many as 10 s allow.</param>
    public async Task<T> TransactAsync<T>(
        Func<MongoTransaction, Task<T>> work, CancellationToken cancellationToken, Func<Task>? onConflict = null,
        int attempts = int.MaxValue)
    {
        var session = await StartSessionAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await TransactAsync(session, work, cancellationToken, onConflict, attempts).ConfigureAwait(false);
        }
        finally
        {
            await CloseAsync(session).ConfigureAwait(false);
        }
    }

    public async Task<T> TransactAsync<T>(
        IClientSessionHandle session, Func<MongoTransaction, Task<T>> work, CancellationToken cancellationToken,
        Func<Task>? onConflict = null, int attempts = int.MaxValue)
    {
        var (since, backoff) = (Time.GetTimestamp(), new Backoff(FirstPause, LongestPause, Time));
        for (var attempt = 1; ; attempt++)
        {
            var scope = Scope(session);
            try
            {
                return await Deadline.RunAsync(
                    token => scope.RunAsync(Transaction, work, token), Limit, Time,
                    cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when ((MongoErrors.IsAborted(e) || MongoErrors.IsDuplicate(e)) && attempt < attempts
                && Time.GetElapsedTime(since) < ConflictLimit)
            {
                await AbortAsync(session).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                if (e is not (TimeoutException or OperationCanceledException))
                {
                    // A call that did not end still uses the session.
                    await AbortAsync(session).ConfigureAwait(false);
                }

                if (!MongoErrors.IsDriverError(e))
                {
                    throw;
                }

                if (e is not MongoServerException)
                {
                    await EndCutOffAsync(session, waits: e is not TimeoutException).ConfigureAwait(false);
                }

                var isUnknown = scope.IsCommitting && !MongoErrors.IsAborted(e);
                throw MongoErrors.ToUnavailable(e, Target, isUnknown);
            }

            await EndSessionsAsync([], cancellationToken).ConfigureAwait(false);
            await (onConflict?.Invoke() ?? Task.CompletedTask).ConfigureAwait(false);
            await backoff.PauseAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Gives up what the session has open. The server does so by itself later when it does not hear of it.
    /// </summary>
    public async Task AbortAsync(IClientSessionHandle session)
    {
        if (!session.IsInTransaction)
        {
            return;
        }

        try
        {
            await Deadline.RunAsync<bool>(
                async token =>
                {
                    await session.AbortTransactionAsync(token).ConfigureAwait(false);
                    return true;
                },
                EndLimit,
                Time,
                CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e) when (MongoErrors.IsDriverError(e))
        {
            // The error that led here is the one to tell.
        }
    }

    /// <summary>
    /// Ends the session. The driver aborts what is open, and waits for it: a server that does not answer is not waited
    /// for.
    /// </summary>
    public async Task CloseAsync(IClientSessionHandle session)
    {
        var closing = Task.Run(session.Dispose);
        try
        {
            await closing.WaitAsync(EndLimit, Time).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // It ends when the driver gives up.
        }
    }

    /// <summary>
    /// Ends transactions of other sessions of this user, and of those that this process has lost; ids are those of
    /// sessions.
    /// </summary>
    public async Task EndSessionsAsync(IEnumerable<BsonValue> sessions, CancellationToken cancellationToken)
    {
        var ids = new List<BsonValue>(sessions);
        while (_cutOff.TryDequeue(out var lost))
        {
            ids.Add(lost);
        }

        if (ids.Count == 0)
        {
            return;
        }

        try
        {
            await CommandAsync(
                new("killSessions", new BsonArray(ids.Select(id => (BsonValue)new BsonDocument("id", id)))),
                cancellationToken, "admin").ConfigureAwait(false);
        }
        catch
        {
            ids.ForEach(_cutOff.Enqueue);
            throw;
        }
    }

    /// <summary>
    /// A transaction that was cut off would keep its documents from everybody until the server's limit for
    /// transactions: unlike others, this server does not end it with the connection.
    /// </summary>
    public async Task EndCutOffAsync(IClientSessionHandle session, bool waits)
    {
        _cutOff.Enqueue(session.ServerSession.Id["id"]);
        try
        {
            await (waits ? EndSessionsAsync([], CancellationToken.None) : Task.CompletedTask).ConfigureAwait(false);
        }
        catch (StoreUnavailableException)
        {
            // The error that led here is the one to tell; the next conflict tries again.
        }
    }

    public void Dispose() => _client.Dispose();

    private async Task<IReadOnlyList<T>> FindAsync<T>(
        IClientSessionHandle? session,
        ReadConcern concern,
        string collection,
        BsonDocument filter,
        Func<BsonDocument, T> read,
        FindOptions<BsonDocument> options,
        TimeSpan limit,
        CancellationToken cancellationToken)
    {
        options.MaxTime = limit;
        var source = _database.GetCollection<BsonDocument>(collection).WithReadConcern(concern);
        var cursor = await (session is null
            ? source.FindAsync(filter, options, cancellationToken)
            : source.FindAsync(session, filter, options, cancellationToken)).ConfigureAwait(false);
        return (await cursor.ToListAsync(cancellationToken).ConfigureAwait(false)).ConvertAll(d => read(d));
    }

    private async Task<T> RunAsync<T>(
        Func<CancellationToken, Task<T>> call, TimeSpan limit, CancellationToken cancellationToken,
        bool outcomeUnknown = false)
    {
        try
        {
            return await Deadline.RunAsync(call, limit, Time, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (MongoErrors.IsDriverError(e) && !MongoErrors.IsDuplicate(e))
        {
            throw MongoErrors.ToUnavailable(e, Target, outcomeUnknown && !MongoErrors.IsUndone(e));
        }
    }
}
