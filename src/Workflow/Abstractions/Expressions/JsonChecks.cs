namespace Workflow.Abstractions.Expressions;

/// <summary>What JSON allows and a definition does not: members given twice, texts that are not Unicode, numbers outside decimal.</summary>
internal sealed class JsonChecks
{
    private const string HalfPair = "The text has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.";

    private readonly PathTrail _path;
    private readonly ICollection<DefinitionError> _errors;

    private JsonChecks(string path, ICollection<DefinitionError> errors) => (_path, _errors) = (new(path), errors);

    /// <summary>Adds what is wrong.</summary>
    /// <returns>False when a text or number cannot even be read, so that nothing else can be checked.</returns>
    public static bool Check(JsonElement element, string path, ICollection<DefinitionError> errors) =>
        new JsonChecks(path, errors).Check(element);

    private bool Check(JsonElement element) => element.ValueKind switch
    {
        JsonValueKind.Object => CheckMembers(element),
        JsonValueKind.Array => CheckItems(element),
        JsonValueKind.String when Text(element) is null => Refuse(HalfPair),
        JsonValueKind.Number when !element.TryGetDecimal(out _) => Refuse(
            $"The number {DefinitionPath.Shorten(element.GetRawText())} is outside the range of a decimal (about 7.9E28); write it "
            + "as a text."),
        _ => true,
    };

    private bool Refuse(string message)
    {
        _errors.Add(new DefinitionError(_path.ToString(), message));
        return false;
    }

    private bool CheckItems(JsonElement element)
    {
        var readable = true;
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            _path.Enter(index++);
            readable &= Check(item);
            _path.Leave();
        }

        return readable;
    }

    private bool CheckMembers(JsonElement element)
    {
        var readable = true;
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var member in element.EnumerateObject())
        {
            if (Name(member) is not { } name)
            {
                readable = Refuse("The name of a member has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.");
                continue;
            }

            _path.Enter(name);
            if (!names.Add(name))
            {
                _errors.Add(new DefinitionError(_path.ToString(), $"'{DefinitionPath.Shorten(name)}' is given twice; keep one."));
            }

            readable &= Check(member.Value);
            _path.Leave();
        }

        return readable;
    }

    // The reader accepts \ud800 and fails only when the text is asked for; there is no call that asks beforehand.
    private static string? Text(JsonElement element)
    {
        try
        {
            return element.GetString();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private static string? Name(JsonProperty member)
    {
        try
        {
            return member.Name;
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }
}

/// <summary>Paths such as <c>steps.route.cases[0].when</c>; a name that is not plain stands in brackets and quotes.</summary>
internal static class DefinitionPath
{
    private const int LongestShown = 160;

    public static string Member(string parent, string name)
    {
        if (name.Length is 0 or > LongestShown || !name.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-'))
        {
            return $"{parent}['{Shorten(name)}']";
        }

        return parent.Length == 0 ? name : $"{parent}.{name}";
    }

    public static string Item(string parent, int index) => $"{parent}[{index}]";

    /// <summary>A value as messages show it.</summary>
    public static string Shorten(string text) => StoreLimits.Excerpt(text, LongestShown);
}

/// <summary>
/// The path of the value that is looked at. It becomes a text for an error alone: a document of a megabyte has half a million values, whose
/// paths together may be a thousand times as long.
/// </summary>
internal sealed class PathTrail(string root)
{
    private readonly List<(string? Name, int Index)> _below = [];

    public void Enter(string name) => _below.Add((name, 0));
    public void Enter(int index) => _below.Add((null, index));
    public void Leave() => _below.RemoveAt(_below.Count - 1);

    public override string ToString() => _below.Aggregate(
        root, (path, below) => below.Name is { } name ? DefinitionPath.Member(path, name) : DefinitionPath.Item(path, below.Index));
}
