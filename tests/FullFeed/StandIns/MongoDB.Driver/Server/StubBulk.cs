using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>The models of one bulk, one after the other.</summary>
public sealed class StubBulk(StubServer server, string space, StubTransaction? transaction, BsonDateTime now, bool isOrdered)
{
    private readonly List<BulkWriteError> _errors = [];
    private readonly List<BulkWriteUpsert> _upserts = [];
    private long _inserted;
    private long _matched;
    private long _modified;
    private long _deleted;

    public async Task<BulkWriteResult<BsonDocument>> RunAsync(IReadOnlyList<WriteModel<BsonDocument>> models, CancellationToken cancellationToken)
    {
        for (var i = 0; i < models.Count; i++)
        {
            try
            {
                await RunAsync(i, models[i], cancellationToken);
            }
            catch (StubWriteException e)
            {
                var category = e.Code == StubErrors.DuplicateKey ? ServerErrorCategory.DuplicateKey : ServerErrorCategory.Uncategorized;
                _errors.Add(new(i, category, e.Code, e.Message));
                if (isOrdered || transaction is not null)
                {
                    break;
                }
            }
            catch when (transaction is not null)
            {
                // Whatever fails in a transaction ends it.
                server.Abort(transaction);
                throw;
            }
        }

        var result = new BulkWriteResult<BsonDocument>.Acknowledged(models.Count, _matched, _deleted, _inserted, _modified, _upserts);
        if (_errors.Count == 0)
        {
            return result;
        }

        if (transaction is not null)
        {
            server.Abort(transaction);
        }

        throw new MongoBulkWriteException<BsonDocument>($"A bulk write operation resulted in one or more errors. WriteErrors: [ {_errors[0].Message} ].", _errors, result);
    }

    private async Task RunAsync(int index, WriteModel<BsonDocument> model, CancellationToken cancellationToken)
    {
        switch (model)
        {
            case InsertOneModel<BsonDocument> insert:
                await WriteAsync(content => Insert(content, insert.Document), cancellationToken);
                _inserted++;
                break;
            case UpdateOneModel<BsonDocument> update:
                await UpdateAsync(index, update, cancellationToken);
                break;
            case UpdateManyModel<BsonDocument> update:
                foreach (var id in Ids(update.Filter))
                {
                    await UpdateAsync(index, new(update.Filter, update.Update), cancellationToken, id);
                }

                break;
            case DeleteOneModel<BsonDocument> delete:
                await DeleteAsync(delete.Filter, null, cancellationToken);
                break;
            case DeleteManyModel<BsonDocument> delete:
                foreach (var id in Ids(delete.Filter))
                {
                    await DeleteAsync(delete.Filter, id, cancellationToken);
                }

                break;
            default:
                throw new NotSupportedException($"The stub knows no {model.GetType().Name}.");
        }
    }

    private async Task UpdateAsync(int index, UpdateOneModel<BsonDocument> model, CancellationToken cancellationToken, BsonValue? only = null)
    {
        var (matched, modified, upserted) = (0, 0, (BsonValue?)null);
        await WriteAsync(Change, cancellationToken);
        _matched += matched;
        _modified += modified;
        if (upserted is not null)
        {
            _upserts.Add(new(index, upserted));
        }

        (BsonValue, BsonDocument?)? Change(StubContent content)
        {
            (matched, modified, upserted) = (0, 0, null);
            var found = First(content, model.Filter, only);
            if (found is null && !model.IsUpsert)
            {
                return null;
            }

            var changed = StubUpdate.Apply(found ?? StubUpdate.NewFrom(model.Filter.Document), model.Update.Update, now, isInsert: found is null);
            if (found is null)
            {
                upserted = changed["_id"];
                return Insert(content, changed);
            }

            matched = 1;
            if (changed.Equals(found))
            {
                return null;
            }

            modified = 1;
            Check(content, changed);
            return (found["_id"], changed);
        }
    }

    private async Task DeleteAsync(FilterDefinition<BsonDocument> filter, BsonValue? only, CancellationToken cancellationToken)
    {
        var deleted = 0;
        await WriteAsync(Change, cancellationToken);
        _deleted += deleted;

        (BsonValue, BsonDocument?)? Change(StubContent content)
        {
            var found = First(content, filter, only);
            deleted = found is null ? 0 : 1;
            return found is null ? null : (found["_id"], null);
        }
    }

    private BsonDocument? First(StubContent content, FilterDefinition<BsonDocument> filter, BsonValue? only) =>
        StubFilter.Matching(content, filter.Document, now, only).FirstOrDefault();

    private List<BsonValue> Ids(FilterDefinition<BsonDocument> filter) =>
        [.. StubFilter.Matching(transaction?.Content.GetValueOrDefault(space) ?? (transaction is null ? server.Read(space) : StubContent.Empty), filter.Document, now).Select(d => d["_id"])];

    private static (BsonValue Id, BsonDocument? Document) Insert(StubContent content, BsonDocument document)
    {
        if (!document.TryGetValue("_id", out var id))
        {
            throw new NotSupportedException($"The stub makes no _id: {document}");
        }

        Check(content, document);
        return content.Documents.ContainsKey(id)
            ? throw new StubWriteException(StubErrors.DuplicateKey, $"E11000 duplicate key error index: _id_ dup key: {{ _id: {id} }}")
            : (id, (BsonDocument)document.DeepClone());
    }

    private static void Check(StubContent content, BsonDocument document)
    {
        var size = StubDocumentRules.SizeOf(document);
        if (size > StubDocumentRules.LargestBytes)
        {
            throw new StubWriteException(StubErrors.TooLarge, $"BSONObj size: {size} is invalid. Size must be between 0 and {StubDocumentRules.LargestBytes}(16MB)");
        }

        if (content.Validator is { } validator && StubDocumentRules.Violation(document, validator) is { } violation)
        {
            throw new StubWriteException(StubErrors.Validation, $"Document failed validation: {violation}");
        }
    }

    private async Task WriteAsync(Func<StubContent, (BsonValue Id, BsonDocument? Document)?> change, CancellationToken cancellationToken)
    {
        if (transaction is not null)
        {
            if (transaction.IsOver)
            {
                throw StubErrors.NoSuchTransaction();
            }

            if (change(transaction.Content.GetValueOrDefault(space) ?? StubContent.Empty) is (var id, var document))
            {
                server.Write(transaction, space, id, document);
            }

            return;
        }

        while (server.TryWrite(space, change) is { } other)
        {
            await other.WaitAsync(cancellationToken);
        }
    }
}
