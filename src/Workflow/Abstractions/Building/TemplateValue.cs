using System.Xml;

namespace Workflow.Abstractions.Building;

/// <summary>
/// A value in a definition: any JSON, in which a text that begins with <c>=</c> is an expression, at any depth. Texts, whole and decimal
/// numbers, booleans and variables convert by themselves: <c>"= price * quantity"</c>, <c>100</c>, <c>0.5m</c>, <c>true</c>.
/// </summary>
public readonly record struct TemplateValue
{
    private readonly string? _json;

    private TemplateValue(string json) => _json = json;

    /// <summary>The JSON null, which <c>default</c> is too.</summary>
    public static TemplateValue Null => default;

    /// <summary>The value as JSON.</summary>
    internal string Json => _json ?? "null";

    public static TemplateValue List(params TemplateValue[] items) => new(JsonText.List(items.Select(item => item.Json)));

    /// <summary>Named values, as in a JSON object.</summary>
    public static TemplateValue Context(params (string Name, TemplateValue Value)[] members) =>
        new(JsonText.Object(members.Select(member => (member.Name, member.Value.Json))));

    /// <summary>A text, or an expression where it begins with <c>=</c>; a null reference makes <see cref="Null"/>.</summary>
    public static implicit operator TemplateValue(string? text) => text is null ? Null : new(JsonText.Quote(text));

    public static implicit operator TemplateValue(decimal number) => new(Value.TextOf(number));
    public static implicit operator TemplateValue(bool flag) => new(flag ? "true" : "false");

    /// <summary>The expression that reads the variable.</summary>
    public static implicit operator TemplateValue(Variable variable) => new(JsonText.Quote($"= {variable.Name}"));

    public override string ToString() => Json;
}

/// <summary>
/// The name of a variable, written once: it is the name where one is wanted, <c>= name</c> where a value is, and stands in the texts of
/// expressions as <c>$"= {total} > 100"</c>.
/// </summary>
public readonly record struct Variable(string Name)
{
    public static implicit operator string(Variable variable) => variable.Name;

    public override string ToString() => Name;
}

/// <summary>A duration of ISO 8601, e.g. <c>PT30S</c>, or, in a delay, an expression that gives one. Texts and
/// <see cref="TimeSpan"/> convert by themselves.</summary>
public readonly record struct Duration(string Text)
{
    public static implicit operator Duration(string text) => new(text);
    public static implicit operator Duration(TimeSpan duration) => new(XmlConvert.ToString(duration));

    public override string ToString() => Text;
}

internal static class JsonText
{
    public static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);

    public static string Object(IEnumerable<(string Name, string Json)> members) =>
        $"{{{string.Join(",", members.Select(member => $"{Quote(member.Name)}:{member.Json}"))}}}";

    public static string List(IEnumerable<string> items) => $"[{string.Join(",", items)}]";

    public static string Source(string? element, int? line, string? document)
    {
        List<(string, string)> members = [];
        if (element is not null)
        {
            members.Add(("element", Quote(element)));
        }

        if (line is { } number)
        {
            members.Add(("line", Number(number)));
        }

        if (document is not null)
        {
            members.Add(("document", Quote(document)));
        }

        return Object(members);
    }

    /// <summary>A text in quotes. Half of a surrogate pair stays one, for the compiler to find it.</summary>
    public static string Quote(string text)
    {
        var quoted = new StringBuilder(text.Length + 2).Append('"');
        foreach (var c in text)
        {
            _ = c is '"' or '\\' ? quoted.Append('\\').Append(c)
                : c < ' ' || char.IsSurrogate(c) ? quoted.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}")
                : quoted.Append(c);
        }

        return quoted.Append('"').ToString();
    }
}
