using System.Globalization;
using System.Text.Json;

namespace MongoDB.Bson;

/// <summary>Plain JSON to documents and back into words for people; no extended JSON.</summary>
public static class BsonJson
{
    public static BsonDocument Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return Read(document.RootElement).AsBsonDocument;
    }

    public static string Write(BsonValue value) => value switch
    {
        BsonDocument d => "{" + string.Join(", ", d.Select(e => $"\"{e.Name}\": {Write(e.Value)}")) + "}",
        BsonArray a => "[" + string.Join(", ", a.Select(Write)) + "]",
        BsonString s => JsonSerializer.Serialize(s.Value),
        BsonBinaryData { SubType: BsonBinarySubType.UuidStandard } b => $"UUID(\"{b.ToGuid()}\")",
        BsonBinaryData b => $"BinData({(int)b.SubType}, \"{Convert.ToBase64String(b.Bytes)}\")",
        BsonDateTime t => $"ISODate({t.MillisecondsSinceEpoch})",
        BsonBoolean b => b.Value ? "true" : "false",
        BsonNull => "null",
        BsonDouble d => d.Value.ToString(CultureInfo.InvariantCulture),
        _ => value.ToInt64().ToString(CultureInfo.InvariantCulture),
    };

    private static BsonValue Read(JsonElement json) => json.ValueKind switch
    {
        JsonValueKind.Object => new BsonDocument(json.EnumerateObject().Select(p => new BsonElement(p.Name, Read(p.Value)))),
        JsonValueKind.Array => new BsonArray(json.EnumerateArray().Select(Read)),
        JsonValueKind.String => json.GetString()!,
        JsonValueKind.True => BsonBoolean.True,
        JsonValueKind.False => BsonBoolean.False,
        JsonValueKind.Null => BsonNull.Value,
        _ when json.TryGetInt32(out var small) => small,
        _ when json.TryGetInt64(out var large) => large,
        _ => json.GetDouble(),
    };
}
