namespace UnitTests.HouseStyle;

/// <summary>One declaration of a type outside of any other, as written: line numbers from 1, from keyword to last brace.</summary>
internal sealed record SourceType(string Namespace, string Name, string File, int Line, int Lines)
{
    public string FullName => $"{Namespace}.{Name}";

    public override string ToString() => $"{File}:{Line}";
}

/// <summary>Finds types by the layout of file-scoped namespaces: only a declaration and its members' braces begin a line.</summary>
internal static partial class SourceTypes
{
    public static IReadOnlyList<SourceType> All { get; } = [.. Repository.Sources.SelectMany(file => Of(file, Repository.Text(file)))];

    /// <summary>Where a type with this name is declared first, and nothing when no source file does.</summary>
    public static string Place(string fullName) => First.Value.TryGetValue(fullName, out var type) ? $" ({type})" : "";

    private static readonly Lazy<Dictionary<string, SourceType>> First =
        new(() => All.GroupBy(type => type.FullName).ToDictionary(types => types.Key, types => types.First()));

    internal static IEnumerable<SourceType> Of(string file, string text)
    {
        var lines = text.Split('\n');
        var name = lines.Select(line => NamespaceLine().Match(line)).FirstOrDefault(match => match.Success)?.Groups[1].Value ?? "";
        for (var i = 0; i < lines.Length; i++)
        {
            if (Declaration().Match(lines[i]) is not { Success: true } match)
            {
                continue;
            }

            var end = End(lines, i);
            yield return new SourceType(name, Name(match), file, i + 1, end - i + 1);
            i = end;
        }
    }

    // As metadata names it: the number of type parameters belongs to the name.
    private static string Name(Match match)
    {
        var parameters = match.Groups["parameters"].Value;
        return match.Groups["name"].Value + (parameters.Length == 0 ? "" : $"`{parameters.Count(c => c == ',') + 1}");
    }

    private static int End(string[] lines, int start)
    {
        for (var i = start; i < lines.Length; i++)
        {
            if (lines[i].StartsWith('{'))
            {
                var close = Array.FindIndex(lines, i + 1, line => line.StartsWith('}'));
                return close < 0 ? lines.Length - 1 : close;
            }

            if (lines[i].EndsWith(';') || lines[i].EndsWith('}'))
            {
                return i;
            }
        }

        return lines.Length - 1;
    }

    [GeneratedRegex(@"^namespace ([\w.]+);")]
    private static partial Regex NamespaceLine();

    [GeneratedRegex(
        @"^(?:(?:public|internal|file|sealed|static|abstract|partial|readonly|ref|unsafe) )*"
        + @"(?:class|record struct|record class|record|struct|interface|enum|delegate [\w<>,\[\]?.]+) "
        + @"(?<name>\w+)(?:<(?<parameters>[^>]*)>)?")]
    private static partial Regex Declaration();
}
