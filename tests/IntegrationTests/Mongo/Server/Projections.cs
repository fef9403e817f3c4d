namespace IntegrationTests.Mongo.Server;

/// <summary>Projections: members to keep, members to leave out, or members to compute.</summary>
internal static class Projections
{
    public static BsonDocument Apply(BsonDocument document, BsonDocument? projection, BsonDateTime now)
    {
        if (projection is null)
        {
            return document;
        }

        if (projection.All(e => e.Value == 0))
        {
            return new(document.Where(member => !projection.Contains(member.Name)));
        }

        var kept = new BsonDocument("_id", document["_id"]);
        foreach (var member in projection)
        {
            if (member.Value != 1)
            {
                kept[member.Name] = Expressions.Evaluate(member.Value, document, now);
            }
            else if (document.TryGetValue(member.Name, out var value))
            {
                kept[member.Name] = value;
            }
        }

        return kept;
    }
}
