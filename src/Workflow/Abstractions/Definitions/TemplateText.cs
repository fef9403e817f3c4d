namespace Workflow.Abstractions.Definitions;

/// <summary>Templates of canonical JSON as texts of other formats.</summary>
public static class TemplateText
{
    /// <summary>A text as it is written in the definition; another value as JSON.</summary>
    public static string Of(JsonElement value) =>
        value.ValueKind == JsonValueKind.String ? value.GetString()! : Value.From(value).ToString();

    /// <summary>A template as one FEEL expression: texts that begin with = are expressions, at any depth.</summary>
    public static string Feel(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String when value.GetString()!.StartsWith('=') => value.GetString()![1..].Trim(),
        JsonValueKind.String => Quoted(value.GetString()!),
        JsonValueKind.Array => $"[{string.Join(", ", value.EnumerateArray().Select(Feel))}]",
        JsonValueKind.Object => Context(value),
        _ => value.GetRawText(),
    };

    /// <summary>The values of a <c>set</c> as assignments, one to a line.</summary>
    public static string Script(JsonElement values) =>
        string.Join('\n', values.EnumerateObject().Select(value => $"{value.Name} = {Feel(value.Value)}"));

    /// <summary>A text in quotes, as JSON and FEEL write it.</summary>
    public static string Quoted(string text) => Value.From(text).ToString();

    // An entry of a context sees those before it, a member of a template does not: one that reads a variable of such a
    // name begins another context.
    private static string Context(JsonElement value)
    {
        List<string> contexts = [];
        List<string> entries = [];
        HashSet<string> names = new(StringComparer.Ordinal);
        foreach (var member in value.EnumerateObject())
        {
            if (entries.Count > 0 && Template.TryCompile(member.Value, "", [])?.Variables.Any(names.Contains) == true)
            {
                contexts.Add(Braced(entries));
                entries.Clear();
                names.Clear();
            }

            entries.Add($"{Quoted(member.Name)}: {Feel(member.Value)}");
            names.Add(member.Name);
        }

        contexts.Add(Braced(entries));
        return contexts.Count == 1 ? contexts[0] : $"context merge([{string.Join(", ", contexts)}])";
    }

    private static string Braced(IEnumerable<string> entries) => $"{{{string.Join(", ", entries)}}}";
}
