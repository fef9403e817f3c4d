using MongoDB.Bson.IO;

namespace MongoDB.Bson
{
    /// <summary>Plain JSON to documents, and Relaxed Extended JSON of them.</summary>
    public static class BsonExtensionMethods
    {
        public static string ToJson<TNominalType>(this TNominalType obj, JsonWriterSettings? writerSettings = null)
            where TNominalType : BsonValue => writerSettings?.OutputMode == JsonOutputMode.RelaxedExtendedJson
                ? Write(obj)
                : throw new NotSupportedException("The stand-in writes RelaxedExtendedJson alone.");

        internal static BsonDocument Parse(string json)
        {
            using var document = JsonDocument.Parse(json);
            return Read(document.RootElement).AsBsonDocument;
        }

        internal static string Write(BsonValue value) => value switch
        {
            BsonDocument d => "{" + string.Join(", ", d.Select(e => $"{JsonSerializer.Serialize(e.Name)}: {Write(e.Value)}")) + "}",
            BsonArray a => "[" + string.Join(", ", a.Select(Write)) + "]",
            BsonString s => JsonSerializer.Serialize(s.Value),
            BsonBinaryData b =>
                $$$"""{ "$binary": { "base64": "{{{Convert.ToBase64String(b.Bytes)}}}", "subType": "{{{(int)b.SubType:x2}}}" } }""",
            BsonDateTime t => $$"""{ "$date": "{{t.ToUniversalTime():yyyy-MM-ddTHH:mm:ss.fffZ}}" }""",
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
}

namespace MongoDB.Bson.IO
{
    public enum JsonOutputMode
    {
        Shell,
        CanonicalExtendedJson,
        RelaxedExtendedJson,
    }

    public sealed class JsonWriterSettings
    {
        public JsonOutputMode OutputMode { get; set; } = JsonOutputMode.RelaxedExtendedJson;
    }
}
