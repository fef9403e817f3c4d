using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <summary>Filters and sort orders; an operator that is not known here is an error that names it.</summary>
public static class StubFilter
{
    /// <param name="content">The collection.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="now">The statement's instant.</param>
    /// <param name="only">Only this document is looked at; null looks at all.</param>
    public static IEnumerable<BsonDocument> Matching(StubContent content, BsonDocument filter, BsonDateTime now, BsonValue? only = null)
    {
        // A filter must be refused even where there is nothing to filter.
        Matches([], filter, now);
        var id = only ?? (filter.TryGetValue("_id", out var wanted) && !IsOperators(wanted) ? wanted : null);
        var candidates = id is null ? content.Documents.Values : content.Documents.TryGetValue(id, out var one) ? [one] : [];
        return candidates.Where(d => Matches(d, filter, now));
    }

    public static bool Matches(BsonDocument document, BsonDocument filter, BsonDateTime now) => filter.ToList().ConvertAll(e => e.Name switch
    {
        "$and" => e.Value.AsBsonArray.ToList().ConvertAll(f => Matches(document, f.AsBsonDocument, now)).TrueForAll(m => m),
        "$or" => e.Value.AsBsonArray.ToList().ConvertAll(f => Matches(document, f.AsBsonDocument, now)).Contains(true),
        "$expr" => StubExpression.IsTrue(StubExpression.Evaluate(e.Value, document, now)),
        ['$', ..] => throw StubErrors.Command(2, "BadValue", $"unknown top level operator: {e.Name}"),
        _ when IsOperators(e.Value) => e.Value.AsBsonDocument.ToList().ConvertAll(o => Holds(StubExpression.Find(document, e.Name), o)).TrueForAll(m => m),
        _ => Same(StubExpression.Find(document, e.Name), e.Value),
    }).TrueForAll(m => m);

    public static IEnumerable<BsonDocument> Sort(IEnumerable<BsonDocument> documents, BsonDocument order)
    {
        var sorted = documents.OrderBy(_ => 0);
        foreach (var (path, direction) in order)
        {
            sorted = direction.ToInt32() == 1
                ? sorted.ThenBy(d => StubExpression.Find(d, path) ?? BsonNull.Value)
                : sorted.ThenByDescending(d => StubExpression.Find(d, path) ?? BsonNull.Value);
        }

        return sorted;
    }

    private static bool IsOperators(BsonValue value) => value is BsonDocument { ElementCount: > 0 } d && d.GetElement(0).Name.StartsWith('$');

    private static bool Holds(BsonValue? value, BsonElement condition) => condition.Name switch
    {
        "$eq" => Same(value, condition.Value),
        "$ne" => !Same(value, condition.Value),
        "$in" => condition.Value.AsBsonArray.Any(v => Same(value, v)),
        "$exists" => value is not null == condition.Value.AsBoolean,
        "$gt" => Compares(value, condition.Value, c => c > 0),
        "$gte" => Compares(value, condition.Value, c => c >= 0),
        "$lt" => Compares(value, condition.Value, c => c < 0),
        "$lte" => Compares(value, condition.Value, c => c <= 0),
        _ => throw StubErrors.Command(2, "BadValue", $"unknown operator: {condition.Name}"),
    };

    // A missing member is null, and a list matches by any of its items.
    private static bool Same(BsonValue? value, BsonValue wanted) =>
        (value ?? BsonNull.Value).Equals(wanted) || (value is BsonArray list && list.Contains(wanted));

    /// <summary>Only values of one kind are less or greater.</summary>
    private static bool Compares(BsonValue? value, BsonValue other, Func<int, bool> holds) =>
        value is not null && (value.BsonType == other.BsonType || (value.IsNumeric && other.IsNumeric)) && holds(value.CompareTo(other));
}
