using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <summary>Filters and sort orders; an operator that is not known here is an error that names it.</summary>
public static class FakeFilter
{
    /// <param name="content">The collection.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="now">The statement's instant.</param>
    /// <param name="only">Only this document is looked at; null looks at all.</param>
    public static IEnumerable<BsonDocument> Matching(FakeContent content, BsonDocument filter, BsonDateTime now, BsonValue? only = null)
    {
        // A filter must be refused even where there is nothing to filter.
        Matches([], filter, now);
        var id = only ?? (filter.TryGetValue("_id", out var wanted) && !IsOperators(wanted) ? wanted : null);
        var candidates = id is null ? content.Documents.Values : content.Documents.TryGetValue(id, out var one) ? [one] : [];
        return candidates.Where(d => Matches(d, filter, now));
    }

    public static bool Matches(
        BsonDocument document, BsonDocument filter, BsonDateTime now) => filter.ToList().ConvertAll(e => e.Name switch
    {
        "$or" => e.Value.AsBsonArray.ToList().ConvertAll(f => Matches(document, f.AsBsonDocument, now)).Contains(true),
        "$expr" => FakeExpression.IsTrue(FakeExpression.Evaluate(e.Value, document, now)),
        ['$', ..] => throw FakeErrors.Command(2, "BadValue", $"unknown top level operator: {e.Name}"),
        _ when IsOperators(e.Value) =>
            e.Value.AsBsonDocument.ToList().ConvertAll(o => Holds(FakeExpression.Find(document, e.Name), o)).TrueForAll(m => m),
        _ => Same(FakeExpression.Find(document, e.Name), e.Value),
    }).TrueForAll(m => m);

    public static IEnumerable<BsonDocument> Sort(IEnumerable<BsonDocument> documents, BsonDocument order)
    {
        var sorted = documents.OrderBy(_ => 0);
        foreach (var (path, direction) in order)
        {
            sorted = direction.ToInt32() == 1
                ? sorted.ThenBy(d => FakeExpression.Find(d, path) ?? BsonNull.Value)
                : sorted.ThenByDescending(d => FakeExpression.Find(d, path) ?? BsonNull.Value);
        }

        return sorted;
    }

    private static bool IsOperators(BsonValue value) =>
        value is BsonDocument { ElementCount: > 0 } d && d.GetElement(0).Name.StartsWith('$');

    private static bool Holds(BsonValue? value, BsonElement condition) => condition.Name switch
    {
        "$ne" => !Same(value, condition.Value),
        "$in" => condition.Value.AsBsonArray.Any(v => Same(value, v)),
        "$exists" => value is not null == condition.Value.AsBoolean,
        "$gt" => Compares(value, condition.Value, c => c > 0),
        "$lt" => Compares(value, condition.Value, c => c < 0),
        "$lte" => Compares(value, condition.Value, c => c <= 0),
        _ => throw FakeErrors.Command(2, "BadValue", $"unknown operator: {condition.Name}"),
    };

    // A missing member is null, and a list matches by any of its items.
    private static bool Same(BsonValue? value, BsonValue wanted) =>
        (value ?? BsonNull.Value).Equals(wanted) || (value is BsonArray list && list.Contains(wanted));

    /// <summary>Only values of one kind are less or greater.</summary>
    private static bool Compares(BsonValue? value, BsonValue other, Func<int, bool> holds) =>
        value is not null && (value.BsonType == other.BsonType || (value.IsNumeric && other.IsNumeric)) && holds(value.CompareTo(other));
}

/// <summary>Aggregation expressions of the kinds that are used; any other is an error that names it.</summary>
public static class FakeExpression
{
    public static BsonValue Evaluate(BsonValue expression, BsonDocument document, BsonDateTime now)
    {
        switch (expression)
        {
            case BsonString { Value: "$$NOW" }:
                return now;
            case BsonString { Value: ['$', '$', ..] variable }:
                throw FakeErrors.Command(17276, "Location17276", $"Use of undefined variable: {variable}");
            case BsonString { Value: ['$', .. var path] }:
                return Find(document, path) ?? BsonNull.Value;
            case BsonDocument { ElementCount: 1 } operation when operation.GetElement(0).Name is ['$', ..] name:
                return Apply(name, operation[name], document, now);
            case BsonDocument members:
                return new BsonDocument(members.Select(m => new BsonElement(m.Name, Evaluate(m.Value, document, now))));
            case BsonArray items:
                return new BsonArray(items.Select(i => Evaluate(i, document, now)));
            default:
                return expression;
        }
    }

    public static bool IsTrue(BsonValue value) => value switch
    {
        BsonNull => false,
        BsonBoolean b => b.Value,
        { IsNumeric: true } => value.ToDouble() != 0,
        _ => true,
    };

    /// <summary>The member at a path with points; null where there is none.</summary>
    public static BsonValue? Find(BsonDocument document, string path)
    {
        BsonValue? value = document;
        foreach (var part in path.Split('.'))
        {
            value = value is BsonDocument inner && inner.TryGetValue(part, out var member) ? member : null;
        }

        return value;
    }

    private static BsonValue Apply(string name, BsonValue operand, BsonDocument document, BsonDateTime now)
    {
        if (name == "$literal")
        {
            return operand;
        }

        BsonValue[] values = [.. (operand is BsonArray list ? list.Values : [operand]).Select(v => Evaluate(v, document, now))];
        return name switch
        {
            "$add" or "$subtract" when Array.Exists(values, v => v.IsBsonNull) => BsonNull.Value,
            "$add" => Shift(values[0], values[1].ToInt64()),
            "$subtract" when values is [BsonDateTime left, BsonDateTime right] =>
                left.MillisecondsSinceEpoch - right.MillisecondsSinceEpoch,
            "$subtract" => Shift(values[0], -values[1].ToInt64()),
            "$gt" => values[0].CompareTo(values[1]) > 0,
            "$lt" => values[0].CompareTo(values[1]) < 0,
            "$lte" => values[0].CompareTo(values[1]) <= 0,
            "$and" => Array.TrueForAll(values, IsTrue),
            "$not" => !IsTrue(values[0]),
            "$ifNull" => Array.Find(values, v => !v.IsBsonNull) ?? BsonNull.Value,
            _ => throw FakeErrors.Command(168, "InvalidPipelineOperator", $"Unrecognized expression '{name}'"),
        };
    }

    private static BsonValue Shift(BsonValue value, long by) =>
        value is BsonDateTime instant ? new BsonDateTime(instant.MillisecondsSinceEpoch + by) : new BsonInt64(value.ToInt64() + by);
}

/// <summary>How large a document is, and whether it keeps to a <c>$jsonSchema</c> of the words known here.</summary>
public static class FakeDocumentRules
{
    public const int LargestBytes = 16 << 20;

    public static long SizeOf(BsonValue value) => value switch
    {
        BsonDocument d => 5 + d.Sum(e => 2 + Encoding.UTF8.GetByteCount(e.Name) + SizeOf(e.Value)),
        BsonArray a => 5 + a.Sum(v => 4 + SizeOf(v)),
        BsonString s => 5 + Encoding.UTF8.GetByteCount(s.Value),
        BsonBinaryData b => 5 + b.Bytes.Length,
        BsonBoolean => 1,
        BsonNull => 0,
        BsonInt32 => 4,
        _ => 8,
    };

    public static string? Violation(BsonDocument document, BsonDocument validator) =>
        validator.ElementCount == 1 && validator.TryGetValue("$jsonSchema", out var schema)
            ? Violation("document", document, schema.AsBsonDocument)
            : throw new NotSupportedException($"The stand-in knows no validator but $jsonSchema: {validator}");

    private static string? Violation(string name, BsonValue value, BsonDocument schema)
    {
        foreach (var (word, rule) in schema)
        {
            var holds = word switch
            {
                "bsonType" => (rule.IsBsonArray ? rule.AsBsonArray.Values : [rule]).Any(type => type.AsString == TypeName(value)),
                "required" => rule.AsBsonArray.All(member => value.AsBsonDocument.Contains(member.AsString)),
                "minimum" => value.CompareTo(rule) >= 0,
                "maximum" => value.CompareTo(rule) <= 0,
                "enum" => rule.AsBsonArray.Contains(value),
                "properties" => true,
                _ => throw new NotSupportedException($"The stand-in knows no '{word}' in a schema."),
            };
            if (!holds)
            {
                return $"{name}: {word} {rule}";
            }
        }

        foreach (var (member, rule) in schema.GetValue("properties", new BsonDocument()).AsBsonDocument)
        {
            if (value.AsBsonDocument.TryGetValue(member, out var inner) && Violation(member, inner, rule.AsBsonDocument) is { } violation)
            {
                return violation;
            }
        }

        return null;
    }

    private static string TypeName(BsonValue value) => value.BsonType switch
    {
        BsonType.Array => "array",
        BsonType.Boolean => "bool",
        BsonType.Int32 => "int",
        BsonType.Int64 => "long",
        BsonType.String => "string",
        var other => throw new NotSupportedException($"The stand-in checks no {other}."),
    };
}
