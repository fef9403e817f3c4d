using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>The models of one bulk, one after the other.</summary>
public sealed class FakeBulk(FakeServer server, string space, FakeTransaction? transaction, BsonDateTime now, bool isOrdered)
{
    private readonly List<BulkWriteError> _errors = [];
    private long _inserted;
    private long _matched;
    private long _modified;
    private long _deleted;

    public async Task<BulkWriteResult<BsonDocument>> RunAsync(
        IReadOnlyList<WriteModel<BsonDocument>> models, CancellationToken cancellationToken)
    {
        for (var i = 0; i < models.Count; i++)
        {
            try
            {
                await RunAsync(models[i], cancellationToken);
            }
            catch (FakeWriteException e)
            {
                var category = e.Code == FakeErrors.DuplicateKey ? ServerErrorCategory.DuplicateKey : ServerErrorCategory.Uncategorized;
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

        if (_errors.Count == 0)
        {
            return new(_matched, _deleted, _inserted, _modified);
        }

        if (transaction is not null)
        {
            server.Abort(transaction);
        }

        throw new MongoBulkWriteException<BsonDocument>(null, result: null, _errors, writeConcernError: null, unprocessedRequests: []);
    }

    private async Task RunAsync(WriteModel<BsonDocument> model, CancellationToken cancellationToken)
    {
        switch (model)
        {
            case InsertOneModel<BsonDocument> insert:
                await WriteAsync(content => Insert(content, insert.Document), cancellationToken);
                _inserted++;
                break;
            case UpdateOneModel<BsonDocument> update:
                await UpdateAsync(update, cancellationToken);
                break;
            case UpdateManyModel<BsonDocument> update:
                foreach (var id in Ids(update.Filter))
                {
                    await UpdateAsync(new(update.Filter, update.Update), cancellationToken, id);
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
                throw new NotSupportedException($"The stand-in knows no {model.GetType().Name}.");
        }
    }

    private async Task UpdateAsync(UpdateOneModel<BsonDocument> model, CancellationToken cancellationToken, BsonValue? only = null)
    {
        var (matched, modified) = (0, 0);
        await WriteAsync(Change, cancellationToken);
        _matched += matched;
        _modified += modified;

        (BsonValue, BsonDocument?)? Change(FakeContent content)
        {
            (matched, modified) = (0, 0);
            var found = First(content, model.Filter, only);
            if (found is null && !model.IsUpsert)
            {
                return null;
            }

            var changed = FakeUpdate.Apply(
                found ?? FakeUpdate.NewFrom(model.Filter.Document), model.Update.Update, now, isInsert: found is null);
            if (found is null)
            {
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

        (BsonValue, BsonDocument?)? Change(FakeContent content)
        {
            var found = First(content, filter, only);
            deleted = found is null ? 0 : 1;
            return found is null ? null : (found["_id"], null);
        }
    }

    private BsonDocument? First(FakeContent content, FilterDefinition<BsonDocument> filter, BsonValue? only) =>
        FakeFilter.Matching(content, filter.Document, now, only).FirstOrDefault();

    private List<BsonValue> Ids(FilterDefinition<BsonDocument> filter) =>
        [.. FakeFilter.Matching(transaction?.Content.GetValueOrDefault(space)
            ?? (transaction is null ? server.Read(space) : FakeContent.Empty), filter.Document, now).Select(d => d["_id"])];

    private static (BsonValue Id, BsonDocument? Document) Insert(FakeContent content, BsonDocument document)
    {
        if (!document.TryGetValue("_id", out var id))
        {
            throw new NotSupportedException($"The stand-in makes no _id: {document}");
        }

        Check(content, document);
        return content.Documents.ContainsKey(id)
            ? throw new FakeWriteException(FakeErrors.DuplicateKey, $"E11000 duplicate key error index: _id_ dup key: {{ _id: {id} }}")
            : (id, (BsonDocument)document.DeepClone());
    }

    private static void Check(FakeContent content, BsonDocument document)
    {
        var size = FakeDocumentRules.SizeOf(document);
        if (size > FakeDocumentRules.LargestBytes)
        {
            throw new FakeWriteException(
                FakeErrors.TooLarge, $"BSONObj size: {size} is invalid. Size must be between 0 and {FakeDocumentRules.LargestBytes}(16MB)");
        }

        if (content.Validator is { } validator && FakeDocumentRules.Violation(document, validator) is { } violation)
        {
            throw new FakeWriteException(FakeErrors.Validation, $"Document failed validation: {violation}");
        }
    }

    private async Task WriteAsync(Func<FakeContent, (BsonValue Id, BsonDocument? Document)?> change, CancellationToken cancellationToken)
    {
        if (transaction is not null)
        {
            if (transaction.IsOver)
            {
                throw FakeErrors.NoSuchTransaction();
            }

            if (change(transaction.Content.GetValueOrDefault(space) ?? FakeContent.Empty) is (var id, var document))
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

/// <summary>Updates by operators or by a pipeline of <c>$set</c>; anything else is an error that names it.</summary>
public static class FakeUpdate
{
    public static BsonDocument Apply(BsonDocument document, BsonValue update, BsonDateTime now, bool isInsert)
    {
        var changed = (BsonDocument)document.DeepClone();
        if (update is BsonArray stages)
        {
            foreach (var stage in stages)
            {
                Stage(changed, stage.AsBsonDocument.GetElement(0), now);
            }

            return changed;
        }

        foreach (var (name, members) in update.AsBsonDocument)
        {
            foreach (var (member, value) in members.AsBsonDocument)
            {
                Operate(changed, name, member, value, isInsert);
            }
        }

        return changed;
    }

    /// <summary>What an upsert begins with: the members that the filter sets equal.</summary>
    public static BsonDocument NewFrom(BsonDocument filter) =>
        new(filter.Where(e =>
            !e.Name.StartsWith('$') && !(e.Value is BsonDocument { ElementCount: > 0 } d && d.GetElement(0).Name.StartsWith('$'))));

    private static void Stage(BsonDocument changed, BsonElement stage, BsonDateTime now)
    {
        if (stage.Name != "$set")
        {
            throw FakeErrors.Command(40324, "Location40324", $"Unrecognized pipeline stage name: '{stage.Name}'");
        }

        // All of a stage sees the document as it was before it.
        foreach (var (member, value) in stage.Value.AsBsonDocument.Select(e =>
            new BsonElement(e.Name, FakeExpression.Evaluate(e.Value, changed, now))).ToArray())
        {
            changed[member] = value;
        }
    }

    private static void Operate(BsonDocument changed, string name, string member, BsonValue value, bool isInsert)
    {
        if (member.Contains('.', StringComparison.Ordinal))
        {
            throw new NotSupportedException($"The stand-in updates no path: {name} {member}");
        }

        switch (name)
        {
            case "$set":
                changed[member] = value.DeepClone();
                break;
            case "$setOnInsert":
                if (isInsert)
                {
                    changed[member] = value.DeepClone();
                }

                break;
            case "$unset":
                changed.Remove(member);
                break;
            case "$inc":
                changed[member] = changed.GetValue(member, 0).ToInt64() + value.ToInt64();
                break;
            case "$push":
                changed[member] = new BsonArray(changed.GetValue(member, new BsonArray()).AsBsonArray.Append(value.DeepClone()));
                break;
            default:
                throw FakeErrors.Command(9, "FailedToParse", $"Unknown modifier: {name}.");
        }
    }
}

/// <summary>Projections: members to keep, members to leave out, or members to compute.</summary>
public static class FakeProjection
{
    public static BsonDocument Apply(BsonDocument document, BsonDocument? projection, BsonDateTime now)
    {
        var copy = (BsonDocument)document.DeepClone();
        if (projection is null)
        {
            return copy;
        }

        if (projection.All(e => e.Value is BsonInt32 { Value: 0 }))
        {
            foreach (var name in projection.Names)
            {
                copy.Remove(name);
            }

            return copy;
        }

        var kept = new BsonDocument("_id", copy["_id"]);
        foreach (var (name, value) in projection)
        {
            if (value is not BsonInt32 { Value: 1 })
            {
                kept[name] = FakeExpression.Evaluate(value, document, now);
            }
            else if (copy.TryGetValue(name, out var member))
            {
                kept[name] = member;
            }
        }

        return kept;
    }
}
