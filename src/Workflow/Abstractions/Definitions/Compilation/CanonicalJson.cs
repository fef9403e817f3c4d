using System.Buffers;
using System.Security.Cryptography;
using System.Text.Encodings.Web;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// JSON in one form, as RFC 8785 but decimal: members sorted by code unit, no blanks, fewest escapes, no exponent.
/// </summary>
internal static class CanonicalJson
{
    /// <param name="without">A member of the outermost object to leave out; null for none.</param>
    public static string Write(JsonElement element, string? without = null)
    {
        var buffer = new ArrayBufferWriter<byte>();
        var options = new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
        using (var writer = new Utf8JsonWriter(buffer, options))
        {
            Write(element, writer, without);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    public static string Hash(string canonicalJson) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(canonicalJson)));

    private static void Write(JsonElement element, Utf8JsonWriter writer, string? without = null)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                writer.WriteStartObject();
                foreach (var member in element.EnumerateObject().Where(member => member.Name != without)
                    .OrderBy(member => member.Name, StringComparer.Ordinal))
                {
                    writer.WritePropertyName(member.Name);
                    Write(member.Value, writer);
                }

                writer.WriteEndObject();
                break;
            case JsonValueKind.Array:
                writer.WriteStartArray();
                foreach (var item in element.EnumerateArray())
                {
                    Write(item, writer);
                }

                writer.WriteEndArray();
                break;
            case JsonValueKind.Number:
                writer.WriteRawValue(Value.TextOf(element.GetDecimal()));
                break;
            default:
                element.WriteTo(writer);
                break;
        }
    }
}
