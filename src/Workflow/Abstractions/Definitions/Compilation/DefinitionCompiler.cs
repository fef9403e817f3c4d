using System.Buffers;
using System.Security.Cryptography;
using System.Text.Encodings.Web;
using System.Text.Unicode;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Turns the canonical JSON of a definition into a <see cref="WorkflowDefinition"/>, or into every error found. Its members are those of
/// the published JSON Schema. Beyond the schema it checks names and expressions, and that the graph of steps is sound: every step named
/// exists, every step is reached, and the branches of a fork meet at its join. Loops are allowed.
/// </summary>
public static class DefinitionCompiler
{
    /// <summary>The most steps a definition may have.</summary>
    public const int MaxSteps = 1000;

    /// <summary>The deepest nesting of the JSON.</summary>
    public const int MaxJsonDepth = 64;

    /// <summary>How many errors are reported at most; the last one then counts the others.</summary>
    public const int MaxErrors = 200;

    private static readonly JsonDocumentOptions Options = new() { MaxDepth = MaxJsonDepth };

    /// <summary>Compiles a definition. Never throws for bad input.</summary>
    /// <param name="json">The body: UTF-8, with or without byte order mark.</param>
    /// <param name="rules">What it is checked against besides itself.</param>
    public static DefinitionCompilation Compile(ReadOnlyMemory<byte> json, DefinitionRules rules)
    {
        var body = json.Span.StartsWith("\uFEFF"u8) ? json[3..] : json;
        if (!Utf8.IsValid(body.Span))
        {
            return Refused("The body is not valid UTF-8; send JSON in UTF-8.");
        }

        try
        {
            using var document = JsonDocument.Parse(body, Options);
            return new DefinitionReader(rules).Read(document.RootElement);
        }
        catch (JsonException exception)
        {
            var position = $"line {exception.LineNumber + 1}, column {exception.BytePositionInLine + 1}";
            return Refused($"The body is not JSON at {position} (columns count bytes): {Reason(exception)}");
        }
    }

    private static DefinitionCompilation Refused(string message) => new(null, [new DefinitionError("", message)]);

    // The library appends its own position, counted from 0.
    private static string Reason(JsonException exception)
    {
        var end = exception.Message.IndexOf(" LineNumber:", StringComparison.Ordinal);
        return end < 0 ? exception.Message : exception.Message[..end];
    }
}

/// <summary>The outcome of compiling: a definition, or every error found.</summary>
/// <param name="Definition">The definition; null when there are errors.</param>
public sealed record DefinitionCompilation(WorkflowDefinition? Definition, IReadOnlyList<DefinitionError> Errors);

/// <summary>What a definition is checked against besides itself.</summary>
public sealed record DefinitionRules
{
    /// <summary>Known activities; null does not check them.</summary>
    public IReadOnlySet<string>? Activities { get; init; }

    /// <summary>Event types that a <c>raise</c> step may not use, because the engine itself raises them.</summary>
    public IReadOnlySet<string> ReservedEvents { get; init; } = new HashSet<string>();
}

/// <summary>JSON in one form, as RFC 8785 but decimal: members sorted by code unit, no blanks, fewest escapes, no exponent.</summary>
internal static class CanonicalJson
{
    public static string Write(JsonElement element)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            Write(element, writer);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    public static string Hash(string canonicalJson) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(canonicalJson)));

    private static void Write(JsonElement element, Utf8JsonWriter writer)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                writer.WriteStartObject();
                foreach (var member in element.EnumerateObject().OrderBy(member => member.Name, StringComparer.Ordinal))
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
