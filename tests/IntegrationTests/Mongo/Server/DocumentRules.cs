namespace IntegrationTests.Mongo.Server;

/// <summary>
/// How large a document may be, and whether it keeps to a <c>$jsonSchema</c> of the words known here, and to an
/// expression.
/// </summary>
internal static class DocumentRules
{
    public const int LargestBytes = 16 << 20;

    /// <exception cref="MongoReplyException">The document breaks a rule.</exception>
    public static void Check(BsonDocument document, BsonDocument? validator)
    {
        var size = document.ToBson().Length;
        if (size > LargestBytes)
        {
            throw new MongoReplyException(
                MongoReplyException.TooLarge,
                "Location17419",
                $"Resulting document after update is larger than {LargestBytes}: {size}");
        }

        if (validator is not null && Violation(document, validator) is { } violation)
        {
            throw new MongoReplyException(
                MongoReplyException.Validation,
                "DocumentValidationFailure",
                $"Document failed validation: {violation}");
        }
    }

    private static string? Violation(BsonDocument document, BsonDocument validator) => validator
        .Select(rule => rule.Name switch
        {
            "$jsonSchema" => Violation("document", document, rule.Value.AsBsonDocument),
            "$expr" => Expressions.IsTrue(Expressions.Evaluate(rule.Value, document, new(0))) ? null : $"{rule}",
            _ => throw new NotSupportedException($"This server knows no validator like {rule}."),
        })
        .FirstOrDefault(violation => violation is not null);

    private static string? Violation(string name, BsonValue value, BsonDocument schema)
    {
        foreach (var word in schema)
        {
            var rule = word.Value;
            var holds = word.Name switch
            {
                "bsonType" => rule.AsString == TypeName(value),
                "required" => rule.AsBsonArray.All(member => value.AsBsonDocument.Contains(member.AsString)),
                "minimum" => ServerOrder.Instance.Compare(value, rule) >= 0,
                "maximum" => ServerOrder.Instance.Compare(value, rule) <= 0,
                "enum" => rule.AsBsonArray.Any(one => ServerOrder.AreSame(one, value)),
                "properties" => true,
                _ => throw new NotSupportedException($"This server knows no '{word.Name}' in a schema."),
            };
            if (!holds)
            {
                return $"{name}: {word.Name} {rule}";
            }
        }

        return schema.GetValue("properties", new BsonDocument()).AsBsonDocument
            .Where(rule => value.AsBsonDocument.Contains(rule.Name))
            .Select(rule => Violation(rule.Name, value[rule.Name], rule.Value.AsBsonDocument))
            .FirstOrDefault(violation => violation is not null);
    }

    private static string TypeName(BsonValue value) => value.BsonType switch
    {
        BsonType.Array => "array",
        BsonType.Boolean => "bool",
        BsonType.Int32 => "int",
        BsonType.Int64 => "long",
        BsonType.String => "string",
        var other => throw new NotSupportedException($"This server checks no {other}."),
    };
}
