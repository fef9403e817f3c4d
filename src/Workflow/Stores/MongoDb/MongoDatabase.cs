using Foundation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// The client, and the four things that are done with it: read, write one bulk, run a transaction, run a command. Every wait ends by
/// itself.
/// </summary>
internal sealed class MongoDatabase : IDisposable
{
    /// <summary>
    /// Of a short call. With ten seconds to find a server before it and five to give up after it, nobody waits for more than thirty.
    /// </summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(15);

    /// <summary>Of a call that reads or removes much.</summary>
    public static readonly TimeSpan LoadLimit = TimeSpan.FromMinutes(5);

    /// <summary>Of a call that tidies up.</summary>
    public static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan ConflictLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(100);

    /// <summary>Sessions of this process whose transaction the server may still keep open, since it was cut off without a word.</summary>
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
            readConcern: ReadConcern.Snapshot, readPreference: ReadPreference.Primary, writeConcern: Durable, maxCommitTime: flushTimeout);
    }

    public MongoTarget Target { get; }

    public TimeProvider Time { get; }

    /// <summary>In the journals of most members before it is acknowledged.</summary>
    public WriteConcern Durable { get; }

    /// <summary>Of every transaction.</summary>
    public TransactionOptions Transaction { get; }

    public Task<IClientSessionHandle> StartSessionAsync(CancellationToken cancellationToken) =>
        RunAsync(
            token => _client.StartSessionAsync(new ClientSessionOptions { CausalConsistency = true }, token), Limit, cancellationToken);

    /// <summary>Reads outside transactions what most members have.</summary>
    public Task<IReadOnlyList<T>> ListAsync<T>(
        string collection, BsonDocument filter, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        FindOptions<BsonDocument>? options = null) =>
        RunAsync(token => FindAsync(null, ReadConcern.Majority, collection, filter, read, options ?? new(), Limit, token), Limit,
            cancellationToken);

    /// <summary>Reads what the primary has at this instant, also what other members lack yet: a renewal that was just written.</summary>
    public Task<IReadOnlyList<T>> ListNewestAsync<T>(
        string collection, BsonDocument filter, Func<BsonDocument, T> read, CancellationToken cancellationToken,
        BsonDocument projection) => RunAsync(
        token => FindAsync(null, ReadConcern.Local, collection, filter, read, new() { Projection = projection }, Limit, token), Limit,
        cancellationToken);

    /// <summary>Reads much on a session, outside transactions: at least what the session has written before.</summary>
    public Task<IReadOnlyList<T>> LoadAsync<T>(
        IClientSessionHandle session, string collection, BsonDocument filter, Func<BsonDocument, T> read,
        CancellationToken cancellationToken, FindOptions<BsonDocument>? options = null) =>
        RunAsync(token => FindAsync(session, ReadConcern.Majority, collection, filter, read, options ?? new(), LoadLimit, token), LoadLimit,
            cancellationToken);

    /// <summary>
    /// Writes a bulk outside transactions, each model by itself, once. What came of it is unknown when the connection broke.
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
        BsonDocument command, CancellationToken cancellationToken, string? database = null, TimeSpan? limit = null) => RunAsync(
        token => (database is null ? _database : _client.GetDatabase(database))
            .RunCommandAsync<BsonDocument>(command, cancellationToken: token), limit ?? Limit, cancellationToken);

    /// <summary>
    /// Runs a transaction on a session of its own, once more when the server has ended it for the sake of another: nothing of it was
    /// written then.
    /// </summary>
    /// <param name="work">Reads and writes on the session; throws to leave nothing behind.</param>
    /// <param name="onConflict">Runs between two attempts.</param>
    /// <param name="attempts">How often to try; as often as ten seconds allow when omitted.</param>
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
                    token => scope.RunAsync(Transaction, work, token), Limit, Time, cancellationToken).ConfigureAwait(false);
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
                    // What did not end still has the session.
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

    /// <summary>Gives up what the session has open. The server does so by itself later when it does not hear of it.</summary>
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
    /// Ends the session. The driver aborts what is open, and waits for it: a server that does not answer is not waited for.
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
    /// Ends transactions of other sessions of this user, and of those that this process has lost; ids are those of sessions.
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
            await CommandAsync(new("killSessions", new BsonArray(ids.Select(id => (BsonValue)new BsonDocument("id", id)))),
                cancellationToken, "admin").ConfigureAwait(false);
        }
        catch
        {
            ids.ForEach(_cutOff.Enqueue);
            throw;
        }
    }

    /// <summary>
    /// A transaction that was cut off would keep its documents from everybody until the server's limit for transactions: unlike others,
    /// this server does not end it with the connection.
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
        Func<CancellationToken, Task<T>> call, TimeSpan limit, CancellationToken cancellationToken, bool outcomeUnknown = false)
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

/// <summary>What is done within one transaction, and how far it has come.</summary>
internal sealed class MongoTransaction(IClientSessionHandle session, IMongoDatabase database)
{
    private CancellationToken _token;

    /// <summary>Once the commit was sent, an error does not tell whether it was done.</summary>
    public bool IsCommitting { get; private set; }

    public async Task<T> RunAsync<T>(TransactionOptions options, Func<MongoTransaction, Task<T>> work, CancellationToken cancellationToken)
    {
        _token = cancellationToken;
        session.StartTransaction(options);
        var result = await work(this).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        IsCommitting = true;
        await session.CommitTransactionAsync(cancellationToken).ConfigureAwait(false);
        return result;
    }

    public Task<BulkWriteResult<BsonDocument>> WriteAsync(string collection, IReadOnlyList<WriteModel<BsonDocument>> models) =>
        database.GetCollection<BsonDocument>(collection).BulkWriteAsync(session, models, new() { IsOrdered = true }, _token);

    /// <summary>Changes the documents that the filter finds, at most one when it names an id; says how many they were.</summary>
    public async Task<long> UpdateAsync(
        string collection, BsonDocument filter, UpdateDefinition<BsonDocument> update, bool isUpsert = false) =>
        (await WriteAsync(collection, [new UpdateOneModel<BsonDocument>(filter, update) { IsUpsert = isUpsert }]).ConfigureAwait(
            false)).MatchedCount;

    public async Task<IReadOnlyList<T>> ListAsync<T>(string collection, BsonDocument filter, Func<BsonDocument, T> read)
    {
        var cursor = await database.GetCollection<BsonDocument>(collection)
            .FindAsync(session, filter, new FindOptions<BsonDocument> { MaxTime = MongoDatabase.Limit }, _token).ConfigureAwait(false);
        return (await cursor.ToListAsync(_token).ConfigureAwait(false)).ConvertAll(d => read(d));
    }
}

/// <summary>Ends a wait that the driver does not end.</summary>
internal static class Deadline
{
    /// <exception cref="TimeoutException">Nothing came within the limit; what was asked for may still happen.</exception>
    public static async Task<T> RunAsync<T>(
        Func<CancellationToken, Task<T>> call, TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        using var timer = new CancellationTokenSource(limit, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timer.Token);
        try
        {
            return await call(both.Token).WaitAsync(both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (timer.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException($"No answer within {limit.TotalSeconds:0.#} s.");
        }
    }
}
