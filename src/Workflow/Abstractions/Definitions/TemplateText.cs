using System.Text.Encodings.Web;

namespace Workflow.Abstractions.Definitions;

/// <summary>Templates of canonical JSON as texts of other formats.</summary>
public static class TemplateText
{
    private static readonly JsonSerializerOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>A text as it is written in the definition; another value as JSON.</summary>
    public static string Of(JsonElement value) => value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText();

    /// <summary>A template as one FEEL expression: texts that begin with = are expressions, at any depth.</summary>
    public static string Feel(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String when value.GetString()!.StartsWith('=') => value.GetString()![1..].Trim(),
        JsonValueKind.String => Quoted(value.GetString()!),
        JsonValueKind.Array => $"[{string.Join(", ", value.EnumerateArray().Select(Feel))}]",
        JsonValueKind.Object => $"{{{string.Join(", ", value.EnumerateObject()
            .Select(member => $"{Quoted(member.Name)}: {Feel(member.Value)}"))}}}",
        _ => value.GetRawText(),
    };

    /// <summary>The values of a <c>set</c> as assignments, one to a line.</summary>
    public static string Script(JsonElement values) =>
        string.Join('\n', values.EnumerateObject().Select(value => $"{value.Name} = {Feel(value.Value)}"));

    private static string Quoted(string text) => JsonSerializer.Serialize(text, Plain);
}
