namespace Workflow.Abstractions.Building;

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
        for (var i = 0; i < text.Length; i++)
        {
            var c = text[i];
            if (i + 1 < text.Length && char.IsSurrogatePair(c, text[i + 1]))
            {
                quoted.Append(text, i++, 2);
                continue;
            }

            if (c is '"' or '\\')
            {
                quoted.Append('\\').Append(c);
            }
            else if (c < ' ' || char.IsSurrogate(c))
            {
                quoted.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
            }
            else
            {
                quoted.Append(c);
            }
        }

        return quoted.Append('"').ToString();
    }
}
