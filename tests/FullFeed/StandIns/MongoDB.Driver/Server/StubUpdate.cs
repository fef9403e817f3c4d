using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <summary>Updates by operators or by a pipeline of <c>$set</c>; anything else is an error that names it.</summary>
public static class StubUpdate
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
        new(filter.Where(e => !e.Name.StartsWith('$') && !(e.Value is BsonDocument { ElementCount: > 0 } d && d.GetElement(0).Name.StartsWith('$'))));

    private static void Stage(BsonDocument changed, BsonElement stage, BsonDateTime now)
    {
        if (stage.Name != "$set")
        {
            throw StubErrors.Command(40324, "Location40324", $"Unrecognized pipeline stage name: '{stage.Name}'");
        }

        // All of a stage sees the document as it was before it.
        foreach (var (member, value) in stage.Value.AsBsonDocument.Select(e => new BsonElement(e.Name, StubExpression.Evaluate(e.Value, changed, now))).ToArray())
        {
            changed[member] = value;
        }
    }

    private static void Operate(BsonDocument changed, string name, string member, BsonValue value, bool isInsert)
    {
        if (member.Contains('.', StringComparison.Ordinal))
        {
            throw new NotSupportedException($"The stub updates no path: {name} {member}");
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
            case "$inc":
                changed[member] = changed.GetValue(member, 0) is BsonInt32 old && value is BsonInt32 ? old.Value + value.AsInt32 : changed.GetValue(member, 0).ToInt64() + value.ToInt64();
                break;
            case "$push":
                changed[member] = new BsonArray(changed.GetValue(member, new BsonArray()).AsBsonArray.Append(value.DeepClone()));
                break;
            default:
                throw StubErrors.Command(9, "FailedToParse", $"Unknown modifier: {name}.");
        }
    }
}

/// <summary>Projections: members to keep, members to leave out, or members to compute.</summary>
public static class StubProjection
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
                kept[name] = StubExpression.Evaluate(value, document, now);
            }
            else if (copy.TryGetValue(name, out var member))
            {
                kept[name] = member;
            }
        }

        return kept;
    }
}
