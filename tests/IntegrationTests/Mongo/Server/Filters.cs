using System.Text.RegularExpressions;

namespace IntegrationTests.Mongo.Server;

/// <summary>Filters and sort orders; an operator that is not known here is an error that names it.</summary>
internal static class Filters
{
    /// <param name="content">The collection.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="now">The statement's instant.</param>
    /// <param name="only">Only this document is looked at; null looks at all.</param>
    public static IEnumerable<BsonDocument> Matching(
        Collection content, BsonDocument filter, BsonDateTime now, BsonValue? only = null)
    {
        // A filter must be refused even where there is nothing to filter.
        Matches([], filter, now);
        var id = only ?? (filter.TryGetValue("_id", out var wanted) && !IsOperators(wanted) ? wanted : null);
        if (id is null)
        {
            return content.Documents.Values.Where(d => Matches(d, filter, now));
        }

        return content.Documents.TryGetValue(id, out var one) && Matches(one, filter, now) ? [one] : [];
    }

    /// <summary>Looks at every condition, also behind one that does not hold: each must be known.</summary>
    public static bool Matches(BsonDocument document, BsonDocument filter, BsonDateTime now) =>
        filter.ToList().ConvertAll(e => e.Name switch
        {
            "$or" => e.Value.AsBsonArray.ToList()
                .ConvertAll(f => Matches(document, f.AsBsonDocument, now)).Contains(true),
            "$expr" => Expressions.IsTrue(Expressions.Evaluate(e.Value, document, now)),
            ['$', ..] => throw MongoReplyException.BadValue($"unknown top level operator: {e.Name}"),
            _ when IsOperators(e.Value) => HoldAll(Expressions.Find(document, e.Name), e.Value.AsBsonDocument),
            _ => Same(Expressions.Find(document, e.Name), e.Value),
        }).TrueForAll(holds => holds);

    public static IEnumerable<BsonDocument> Sort(IEnumerable<BsonDocument> documents, BsonDocument order)
    {
        var sorted = documents.OrderBy(_ => 0);
        foreach (var member in order)
        {
            Func<BsonDocument, BsonValue> key = d => Expressions.Find(d, member.Name) ?? BsonNull.Value;
            sorted = member.Value.ToInt32() == 1
                ? sorted.ThenBy(key, ServerOrder.Instance)
                : sorted.ThenByDescending(key, ServerOrder.Instance);
        }

        return sorted;
    }

    /// <summary>What an upsert begins with: the members that the filter sets equal.</summary>
    public static BsonDocument Equalities(BsonDocument filter) =>
        new(filter.Where(e => !e.Name.StartsWith('$') && !IsOperators(e.Value)));

    private static bool IsOperators(BsonValue value) =>
        value is BsonDocument { ElementCount: > 0 } d && d.GetElement(0).Name.StartsWith('$');

    private static bool HoldAll(BsonValue? value, BsonDocument conditions) =>
        conditions.ToList().ConvertAll(condition => Holds(value, condition)).TrueForAll(holds => holds);

    private static bool Holds(BsonValue? value, BsonElement condition) => condition.Name switch
    {
        "$eq" => Same(value, condition.Value),
        "$ne" => !Same(value, condition.Value),
        "$in" => condition.Value.AsBsonArray.Any(v => Same(value, v)),
        "$gt" => Compares(value, condition.Value, c => c > 0),
        "$gte" => Compares(value, condition.Value, c => c >= 0),
        "$lt" => Compares(value, condition.Value, c => c < 0),
        "$lte" => Compares(value, condition.Value, c => c <= 0),
        "$regex" => value is BsonString text && Regex.IsMatch(text.Value, condition.Value.AsString),
        _ => throw MongoReplyException.BadValue($"unknown operator: {condition.Name}"),
    };

    // A missing member is null, and a list matches by any of its items.
    private static bool Same(BsonValue? value, BsonValue wanted) => ServerOrder.AreSame(value ?? BsonNull.Value, wanted)
        || (value is BsonArray list && list.Any(item => ServerOrder.AreSame(item, wanted)));

    /// <summary>Only values of one kind are less or greater.</summary>
    private static bool Compares(BsonValue? value, BsonValue other, Func<int, bool> holds) => value is not null
        && (value.BsonType == other.BsonType || (value.IsNumeric && other.IsNumeric))
        && holds(ServerOrder.Instance.Compare(value, other));
}
