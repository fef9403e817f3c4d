namespace IntegrationTests.Mongo.Server;

/// <summary>Aggregation expressions of the kinds that are used; any other is an error that names it.</summary>
internal static class Expressions
{
    public static BsonValue Evaluate(BsonValue expression, BsonDocument document, BsonDateTime now)
    {
        switch (expression)
        {
            case BsonString { Value: "$$NOW" }:
                return now;
            case BsonString { Value: ['$', '$', ..] variable }:
                throw new MongoReplyException(17276, "Location17276", $"Use of undefined variable: {variable}");
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

        var operands = operand is BsonArray list ? list.Values : [operand];
        BsonValue[] values = [.. operands.Select(v => Evaluate(v, document, now))];
        return name switch
        {
            "$add" or "$subtract" when Array.Exists(values, v => v.IsBsonNull) => BsonNull.Value,
            "$add" => Shift(values[0], values[1].ToInt64()),
            "$subtract" when values is [BsonDateTime left, BsonDateTime right] =>
                left.MillisecondsSinceEpoch - right.MillisecondsSinceEpoch,
            "$subtract" => Shift(values[0], -values[1].ToInt64()),
            "$eq" => ServerOrder.AreSame(values[0], values[1]),
            "$gt" => ServerOrder.Instance.Compare(values[0], values[1]) > 0,
            "$lt" => ServerOrder.Instance.Compare(values[0], values[1]) < 0,
            "$lte" => ServerOrder.Instance.Compare(values[0], values[1]) <= 0,
            "$and" => Array.TrueForAll(values, IsTrue),
            "$or" => Array.Exists(values, IsTrue),
            "$not" => !IsTrue(values[0]),
            "$ifNull" => Array.Find(values, v => !v.IsBsonNull) ?? BsonNull.Value,
            _ => throw new MongoReplyException(168, "InvalidPipelineOperator", $"Unrecognized expression '{name}'"),
        };
    }

    private static BsonValue Shift(BsonValue value, long by) => value is BsonDateTime instant
        ? new BsonDateTime(instant.MillisecondsSinceEpoch + by)
        : new BsonInt64(value.ToInt64() + by);
}
