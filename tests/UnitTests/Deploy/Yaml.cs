namespace UnitTests.Deploy;

/// <summary>
/// The YAML that our manifests are written in: block maps and lists, scalars on one line, flow lists of scalars, an empty flow map,
/// comments and several documents. Anything else is an error, so that nothing is read as what it is not.
/// </summary>
internal sealed class Yaml
{
    private readonly List<(int Indent, string Text, int Number)> _lines = [];
    private int _next;

    public static IReadOnlyList<JsonNode> Documents(string text) =>
    [
        .. text.ReplaceLineEndings("\n").Split("\n---\n").Select(document => new Yaml(document).All()),
    ];

    private Yaml(string text)
    {
        foreach (var (line, number) in text.Split('\n').Select((line, index) => (line.TrimEnd(), index + 1)))
        {
            var content = line.TrimStart(' ');
            if (content.Length > 0 && content[0] != '#')
            {
                _lines.Add((line.Length - content.Length, content, number));
            }
        }
    }

    private JsonNode All()
    {
        var node = Block(0);
        return _next == _lines.Count ? node : throw Wrong("is indented unlike what is before it");
    }

    private JsonNode Block(int indent) => _lines[_next].Text.StartsWith("- ", StringComparison.Ordinal) ? List(indent) : Map(indent);

    private JsonArray List(int indent)
    {
        var list = new JsonArray();
        while (_next < _lines.Count && _lines[_next].Indent == indent && _lines[_next].Text.StartsWith("- ", StringComparison.Ordinal))
        {
            var (_, text, number) = _lines[_next];
            var item = text[2..];
            if (item[0] is not ('"' or '\'' or '[') && item.Contains(": ", StringComparison.Ordinal) || item.EndsWith(':'))
            {
                _lines[_next] = (indent + 2, item, number);
                list.Add(Map(indent + 2));
            }
            else
            {
                _next++;
                list.Add(Scalar(item));
            }
        }

        return list;
    }

    private JsonObject Map(int indent)
    {
        var map = new JsonObject();
        while (_next < _lines.Count && _lines[_next].Indent == indent && !_lines[_next].Text.StartsWith("- ", StringComparison.Ordinal))
        {
            var text = _lines[_next].Text;
            var colon = text.IndexOf(':', StringComparison.Ordinal);
            if (colon < 1 || (colon + 1 < text.Length && text[colon + 1] != ' ') || map.ContainsKey(text[..colon]))
            {
                throw Wrong("is no 'key: value', or its key is there twice");
            }

            _next++;
            var inside = _next < _lines.Count ? _lines[_next].Indent : -1;
            map[text[..colon]] = colon + 1 < text.Length ? Scalar(text[(colon + 2)..])
                : inside > indent ? Block(inside)
                : throw Wrong("has no value before it");
        }

        return map;
    }

    private JsonNode Scalar(string text) => text switch
    {
        "{}" => new JsonObject(),
        ['[', .. var items, ']'] => new JsonArray([.. items.Split(", ").Select(Scalar)]),
        ['"', .. var quoted, '"'] => JsonValue.Create(quoted),
        ['\'', .. var quoted, '\''] => JsonValue.Create(quoted),
        ['&' or '*' or '|' or '>' or '!' or '{' or '[' or '"' or '\'', ..] => throw Wrong("before it has a form that is not read here"),
        _ when text.Contains(" #", StringComparison.Ordinal) => throw Wrong("before it has a comment behind a value"),
        _ when long.TryParse(text, out var number) => JsonValue.Create(number),
        "true" or "false" => JsonValue.Create(text == "true"),
        _ => JsonValue.Create(text),
    };

    private FormatException Wrong(string what) =>
        new($"Line {(_next < _lines.Count ? _lines[_next].Number : _lines[^1].Number + 1)} {what}.");
}
