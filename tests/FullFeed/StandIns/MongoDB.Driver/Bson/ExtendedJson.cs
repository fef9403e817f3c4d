using System.Globalization;
using System.Text.Json;

namespace MongoDB.Bson
{
    public static class BsonExtensionMethods
    {
        /// <summary>Relaxed Extended JSON, whatever the settings.</summary>
        public static string ToJson<TNominalType>(this TNominalType obj, IO.JsonWriterSettings? writerSettings = null)
            where TNominalType : BsonValue =>
            writerSettings?.OutputMode == IO.JsonOutputMode.RelaxedExtendedJson ? Write(obj) : throw new NotSupportedException("The stub writes RelaxedExtendedJson alone.");

        private static string Write(BsonValue value) => value switch
        {
            BsonDocument d => "{ " + string.Join(", ", d.Select(e => $"{JsonSerializer.Serialize(e.Name)} : {Write(e.Value)}")) + " }",
            BsonArray a => "[" + string.Join(", ", a.Select(Write)) + "]",
            BsonDateTime t => $$"""{ "$date" : "{{DateTimeOffset.FromUnixTimeMilliseconds(t.MillisecondsSinceEpoch).ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture)}}" }""",
            BsonBinaryData b => $$$"""{ "$binary" : { "base64" : "{{{Convert.ToBase64String(b.Bytes)}}}", "subType" : "{{{(int)b.SubType:x2}}}" } }""",
            _ => BsonJson.Write(value),
        };
    }
}

namespace MongoDB.Bson.IO
{
    public enum JsonOutputMode
    {
        CanonicalExtendedJson,
        RelaxedExtendedJson,
    }

    public sealed class JsonWriterSettings
    {
        public JsonOutputMode OutputMode { get; set; } = JsonOutputMode.RelaxedExtendedJson;
    }
}
