namespace IntegrationTests.Mongo.Server;

/// <summary>One insert, update or delete command: its statements, one after the other.</summary>
internal sealed class Writes(Documents documents, MongoCall call, Transaction? transaction, BsonDateTime now)
{
    private readonly BsonArray _errors = [];
    private readonly BsonArray _upserted = [];
    private int _count;
    private int _modified;

    public async Task<BsonDocument> RunAsync(CancellationToken cancellationToken)
    {
        var statements = call.Command[$"{(call.Name == "insert" ? "document" : call.Name)}s"].AsBsonArray;
        for (var i = 0; i < statements.Count; i++)
        {
            try
            {
                await RunAsync(statements[i].AsBsonDocument, i, cancellationToken);
            }
            catch (MongoReplyException e) when (e.Code is
                MongoReplyException.DuplicateKey or MongoReplyException.TooLarge or MongoReplyException.Validation)
            {
                _errors.Add(new BsonDocument { { "index", i }, { "code", e.Code }, { "errmsg", e.Message } });
                if (call.IsOrdered || transaction is not null)
                {
                    break;
                }
            }
        }

        var reply = new BsonDocument { { "ok", 1.0 }, { "n", _count } };
        if (call.Name == "update")
        {
            reply.Add("nModified", _modified).Add("upserted", _upserted, _upserted.Count > 0);
        }

        if (_errors.Count > 0 && transaction is not null)
        {
            documents.Abort(transaction);
        }

        return reply.Add("writeErrors", _errors, _errors.Count > 0);
    }

    private async Task RunAsync(BsonDocument statement, int index, CancellationToken cancellationToken)
    {
        switch (call.Name)
        {
            case "insert":
                await WriteAsync(content => Insert(content, statement), cancellationToken);
                _count++;
                break;
            case "update" when statement.GetValue("multi", false).AsBoolean:
                foreach (var id in Ids(statement["q"].AsBsonDocument))
                {
                    await UpdateAsync(statement, index, cancellationToken, id);
                }

                break;
            case "update":
                await UpdateAsync(statement, index, cancellationToken);
                break;
            case "delete" when statement["limit"] == 1:
                await DeleteAsync(statement["q"].AsBsonDocument, null, cancellationToken);
                break;
            default:
                foreach (var id in Ids(statement["q"].AsBsonDocument))
                {
                    await DeleteAsync(statement["q"].AsBsonDocument, id, cancellationToken);
                }

                break;
        }
    }

    private async Task UpdateAsync(
        BsonDocument statement, int index, CancellationToken cancellationToken, BsonValue? only = null)
    {
        var filter = statement["q"].AsBsonDocument;
        var (matched, modified) = (0, 0);
        BsonValue? upserted = null;
        await WriteAsync(Change, cancellationToken);
        _count += matched;
        _modified += modified;
        if (upserted is not null)
        {
            _upserted.Add(new BsonDocument { { "index", index }, { "_id", upserted } });
        }

        (BsonValue, BsonDocument?)? Change(Collection content)
        {
            (matched, modified, upserted) = (0, 0, null);
            var found = Filters.Matching(content, filter, now, only).FirstOrDefault();
            if (found is null && !statement.GetValue("upsert", false).AsBoolean)
            {
                return null;
            }

            matched = 1;
            var from = found ?? Filters.Equalities(filter);
            var changed = Updates.Apply(from, statement["u"], now, isInsert: found is null);
            if (found is null)
            {
                var inserted = Insert(content, changed);
                upserted = inserted.Id;
                return inserted;
            }

            if (changed.Equals(found))
            {
                return null;
            }

            modified = 1;
            DocumentRules.Check(changed, content.Validator);
            return (found["_id"], changed);
        }
    }

    private async Task DeleteAsync(BsonDocument filter, BsonValue? only, CancellationToken cancellationToken)
    {
        var deleted = 0;
        await WriteAsync(Change, cancellationToken);
        _count += deleted;

        (BsonValue, BsonDocument?)? Change(Collection content)
        {
            var found = Filters.Matching(content, filter, now, only).FirstOrDefault();
            deleted = found is null ? 0 : 1;
            return found is null ? null : (found["_id"], null);
        }
    }

    private List<BsonValue> Ids(BsonDocument filter) =>
        [.. Filters.Matching(documents.Seen(call.Space, transaction), filter, now).Select(d => d["_id"])];

    private static (BsonValue Id, BsonDocument? Document) Insert(Collection content, BsonDocument document)
    {
        if (!document.TryGetValue("_id", out var id))
        {
            throw new NotSupportedException($"This server makes no _id: {document}");
        }

        DocumentRules.Check(document, content.Validator);
        return content.Documents.ContainsKey(id)
            ? throw new MongoReplyException(
                MongoReplyException.DuplicateKey,
                "DuplicateKey",
                $"E11000 duplicate key error index: _id_ dup key: {{ _id: {id} }}")
            : (id, document);
    }

    private async Task WriteAsync(
        Func<Collection, (BsonValue Id, BsonDocument? Document)?> change, CancellationToken cancellationToken)
    {
        if (transaction is not null)
        {
            if (change(documents.Seen(call.Space, transaction)) is (var id, var document))
            {
                documents.Write(transaction, call.Space, id, document);
            }

            return;
        }

        while (documents.TryWrite(call.Space, change) is { } other)
        {
            await other.WaitAsync(cancellationToken);
        }
    }
}
