using System.Text;
using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <summary>How large a document is, and whether it keeps to a <c>$jsonSchema</c> of the words known here.</summary>
public static class StubDocumentRules
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
            : throw new NotSupportedException($"The stub knows no validator but $jsonSchema: {validator}");

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
                _ => throw new NotSupportedException($"The stub knows no '{word}' in a schema."),
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
        BsonType.Document => "object",
        BsonType.Array => "array",
        BsonType.Binary => "binData",
        BsonType.Boolean => "bool",
        BsonType.DateTime => "date",
        BsonType.Int32 => "int",
        BsonType.Int64 => "long",
        BsonType.Double => "double",
        BsonType.String => "string",
        _ => "null",
    };
}
