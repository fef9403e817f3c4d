namespace IntegrationTests.Mongo.Server;

/// <summary>Updates by operators or by a pipeline of <c>$set</c>; anything else is an error that names it.</summary>
internal static class Updates
{
    public static BsonDocument Apply(BsonDocument document, BsonValue update, BsonDateTime now, bool isInsert)
    {
        var changed = (BsonDocument)document.Clone();
        if (update is BsonArray stages)
        {
            foreach (var stage in stages)
            {
                Stage(changed, stage.AsBsonDocument.GetElement(0), now);
            }

            return changed;
        }

        foreach (var operation in update.AsBsonDocument)
        {
            foreach (var member in operation.Value.AsBsonDocument)
            {
                Operate(changed, operation.Name, member.Name, member.Value, isInsert);
            }
        }

        return changed;
    }

    private static void Stage(BsonDocument changed, BsonElement stage, BsonDateTime now)
    {
        if (stage.Name != "$set")
        {
            throw MongoReplyException.UnknownStage(stage.Name);
        }

        // All of a stage sees the document as it was before it.
        foreach (var member in stage.Value.AsBsonDocument.Select(e =>
            new BsonElement(e.Name, Expressions.Evaluate(e.Value, changed, now))).ToArray())
        {
            changed[member.Name] = member.Value;
        }
    }

    private static void Operate(BsonDocument changed, string name, string member, BsonValue value, bool isInsert)
    {
        if (member.Contains('.', StringComparison.Ordinal))
        {
            throw new NotSupportedException($"This server updates no path: {name} {member}");
        }

        switch (name)
        {
            case "$set":
                changed[member] = value;
                break;
            case "$setOnInsert":
                if (isInsert)
                {
                    changed[member] = value;
                }

                break;
            case "$unset":
                changed.Remove(member);
                break;
            case "$rename":
                if (changed.TryGetValue(member, out var renamed))
                {
                    changed.Remove(member);
                    changed[value.AsString] = renamed;
                }

                break;
            case "$inc":
                changed[member] = changed.GetValue(member, 0).ToInt64() + value.ToInt64();
                break;
            case "$push":
                changed[member] = new BsonArray(changed.GetValue(member, new BsonArray()).AsBsonArray.Append(value));
                break;
            default:
                throw new MongoReplyException(9, "FailedToParse", $"Unknown modifier: {name}.");
        }
    }
}
