using System.Text.Json;

namespace Workflow.Abstractions;

public readonly partial struct Value
{
    private static readonly IReadOnlyDictionary<string, Value> EmptyContext = new Dictionary<string, Value>();

    /// <summary>A context without members.</summary>
    public static Value Empty { get; } = From(EmptyContext);

    /// <summary>Copies a JSON element.</summary>
    /// <exception cref="JsonException">A number is outside the range of decimal (about 7.9E28).</exception>
    public static Value From(JsonElement element)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.String:
                return From(element.GetString());
            case JsonValueKind.Number:
                return element.TryGetDecimal(out var number) ? From(number) : throw OutOfRange(element.GetRawText());
            case JsonValueKind.True:
            case JsonValueKind.False:
                return From(element.GetBoolean());
            case JsonValueKind.Array:
                var items = new Value[element.GetArrayLength()];
                for (var i = 0; i < items.Length; i++)
                {
                    items[i] = From(element[i]);
                }

                return From(items);
            case JsonValueKind.Object:
                var members = new Dictionary<string, Value>(StringComparer.Ordinal);
                foreach (var property in element.EnumerateObject())
                {
                    members[property.Name] = From(property.Value);
                }

                return From(members);
            default:
                return Null;
        }
    }

    /// <summary>Reads JSON text.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    public static Value Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return From(document.RootElement);
    }

    /// <summary>Reads the value at the reader's present token and leaves the reader on its last token.</summary>
    /// <exception cref="JsonException">The text is not JSON, or a number is outside the range of decimal.</exception>
    public static Value Read(ref Utf8JsonReader reader)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.String:
                return From(reader.GetString());
            case JsonTokenType.Number:
                return reader.TryGetDecimal(out var number) ? From(number) : throw OutOfRange("a number");
            case JsonTokenType.True:
                return From(true);
            case JsonTokenType.False:
                return From(false);
            case JsonTokenType.StartArray:
                var items = new List<Value>();
                while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                {
                    items.Add(Read(ref reader));
                }

                return From(items.ToArray());
            case JsonTokenType.StartObject:
                var members = new Dictionary<string, Value>(StringComparer.Ordinal);
                while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
                {
                    var name = reader.GetString()!;
                    reader.Read();
                    members[name] = Read(ref reader);
                }

                return From(members);
            default:
                return Null;
        }
    }

    /// <summary>Writes the value as JSON.</summary>
    public void WriteTo(Utf8JsonWriter writer)
    {
        switch (Kind)
        {
            case ValueKind.Boolean:
                writer.WriteBooleanValue(AsBoolean());
                break;
            case ValueKind.Number:
                writer.WriteNumberValue(AsNumber());
                break;
            case ValueKind.String:
                writer.WriteStringValue(AsString());
                break;
            case ValueKind.List:
                writer.WriteStartArray();
                foreach (var item in AsList())
                {
                    item.WriteTo(writer);
                }

                writer.WriteEndArray();
                break;
            case ValueKind.Context:
                WriteMembers(writer, AsContext());
                break;
            default:
                writer.WriteNullValue();
                break;
        }
    }

    /// <summary>Writes named values as a JSON object.</summary>
    public static void WriteMembers(Utf8JsonWriter writer, IReadOnlyDictionary<string, Value> members)
    {
        writer.WriteStartObject();
        foreach (var (name, value) in members)
        {
            writer.WritePropertyName(name);
            value.WriteTo(writer);
        }

        writer.WriteEndObject();
    }

    /// <summary>The value as a JSON element that lives as long as the caller keeps it.</summary>
    public JsonElement ToJsonElement()
    {
        using var document = JsonDocument.Parse(ToString());
        return document.RootElement.Clone();
    }

    private static JsonException OutOfRange(string raw) =>
        new($"The number {raw} is outside the range of a decimal (about 7.9E28); send it as a string.");
}
