using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>A session and the transaction that it is in; the server hears of a transaction with its first statement.</summary>
public sealed class StubSession(StubServer server, TransactionOptions? defaults) : IClientSessionHandle, IServerSession
{
    private StubTransaction? _transaction;
    private TransactionOptions? _options;

    public bool IsInTransaction { get; private set; }

    public IServerSession ServerSession => this;

    public BsonDocument Id { get; } = new("id", new BsonBinaryData(Guid.NewGuid(), GuidRepresentation.Standard));

    public TransactionOptions? Options => _options;

    /// <summary>The transaction of the next statement; null outside.</summary>
    public StubTransaction? Transaction => IsInTransaction ? _transaction ??= server.Begin(Id) : null;

    public void StartTransaction(TransactionOptions? transactionOptions = null)
    {
        if (IsInTransaction)
        {
            throw new InvalidOperationException("Transaction already in progress.");
        }

        (IsInTransaction, _options, _transaction) = (true, transactionOptions ?? defaults, null);
    }

    public async Task CommitTransactionAsync(CancellationToken cancellationToken = default)
    {
        if (!IsInTransaction)
        {
            throw new InvalidOperationException("No transaction started.");
        }

        IsInTransaction = false;
        if (_transaction is { } transaction)
        {
            await server.RunAsync(Call("commitTransaction"), () => Done(() => server.Commit(transaction)), cancellationToken);
        }
    }

    public async Task AbortTransactionAsync(CancellationToken cancellationToken = default)
    {
        if (!IsInTransaction)
        {
            throw new InvalidOperationException("No transaction started.");
        }

        IsInTransaction = false;
        if (_transaction is { } transaction)
        {
            try
            {
                await server.RunAsync(Call("abortTransaction"), () => Done(() => server.Abort(transaction)), cancellationToken);
            }
            catch (MongoException)
            {
                // As the original: whoever aborts is not told of errors, and the server ends the transaction by itself some time later.
            }
        }
    }

    public void Dispose()
    {
        if (IsInTransaction && _transaction is { } transaction)
        {
            IsInTransaction = false;
            server.Abort(transaction);
        }
    }

    private static Task<bool> Done(Action work)
    {
        work();
        return Task.FromResult(true);
    }

    private StubCall Call(string name) => new(name, "admin")
    {
        Session = Id,
        IsInTransaction = true,
        ReadConcern = _options?.ReadConcern,
        WriteConcern = _options?.WriteConcern,
        MaxTime = _options?.MaxCommitTime,
    };
}
