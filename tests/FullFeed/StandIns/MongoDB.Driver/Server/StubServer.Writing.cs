using System.Collections.Immutable;
using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <content>
/// Transactions and single writes, as the storage engine keeps them apart: the first to write a document has it until its transaction ends; a transaction that comes second, or
/// whose snapshot is older than what is committed, is aborted with a write conflict; a write outside transactions waits.
/// </content>
public sealed partial class StubServer
{
    public StubTransaction Begin(BsonDocument session)
    {
        if (!IsReplicaSet)
        {
            throw StubErrors.Command(20, "IllegalOperation", "Transaction numbers are only allowed on a replica set member or mongos");
        }

        lock (_gate)
        {
            return _open[session] = new(session, _content);
        }
    }

    public void Commit(StubTransaction transaction)
    {
        lock (_gate)
        {
            if (transaction.IsOver)
            {
                throw StubErrors.NoSuchTransaction();
            }

            foreach (var (space, id) in transaction.Written)
            {
                Put(space, id, transaction.Content[space].Documents.GetValueOrDefault(id));
            }

            End(transaction);
        }
    }

    public void Abort(StubTransaction transaction)
    {
        lock (_gate)
        {
            End(transaction);
        }
    }

    /// <summary>Writes one document of a transaction.</summary>
    public void Write(StubTransaction transaction, string space, BsonValue id, BsonDocument? document)
    {
        lock (_gate)
        {
            if (transaction.IsOver)
            {
                throw StubErrors.NoSuchTransaction();
            }

            var content = transaction.Content.GetValueOrDefault(space)
                ?? throw StubErrors.Command(263, "OperationNotSupportedInTransaction", $"Cannot create namespace {space} in multi-document transaction.");
            var committed = _content[space].Documents.GetValueOrDefault(id);
            var seen = transaction.Snapshot[space].Documents.GetValueOrDefault(id);
            if (_intents.GetValueOrDefault((space, id), transaction) != transaction || !ReferenceEquals(committed, seen))
            {
                throw StubErrors.WriteConflict();
            }

            _intents[(space, id)] = transaction;
            transaction.Written.Add((space, id));
            transaction.Content = transaction.Content.SetItem(space, With(content, id, document));
        }
    }

    /// <summary>Writes one document outside transactions, unless a transaction has it: that one's end is returned then.</summary>
    /// <param name="space">The collection.</param>
    /// <param name="change">Says of the collection as it is which document becomes what; null when there is nothing to write.</param>
    public Task? TryWrite(string space, Func<StubContent, (BsonValue Id, BsonDocument? Document)?> change)
    {
        lock (_gate)
        {
            if (change(_content.GetValueOrDefault(space) ?? StubContent.Empty) is not (var id, var document))
            {
                return null;
            }

            if (_intents.TryGetValue((space, id), out var other))
            {
                return other.Ended;
            }

            Put(space, id, document);
            return null;
        }
    }

    private static StubContent With(StubContent content, BsonValue id, BsonDocument? document) =>
        content with { Documents = document is null ? content.Documents.Remove(id) : content.Documents.SetItem(id, document) };

    private void Put(string space, BsonValue id, BsonDocument? document)
    {
        var content = _content.GetValueOrDefault(space) ?? StubContent.Empty;
        _content = _content.SetItem(space, With(content, id, document));
        Tell(space, id, content.Documents.GetValueOrDefault(id), document);
    }

    private void Kill(BsonDocument session)
    {
        lock (_gate)
        {
            if (_open.TryGetValue(session, out var transaction))
            {
                End(transaction);
            }
        }
    }

    private void End(StubTransaction transaction)
    {
        foreach (var written in transaction.Written)
        {
            _intents.Remove(written);
        }

        if (_open.GetValueOrDefault(transaction.Session) == transaction)
        {
            _open.Remove(transaction.Session);
        }

        transaction.End();
    }
}
