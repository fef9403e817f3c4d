namespace Workflow.Abstractions.Expressions;

/// <summary>What JSON allows and a definition does not: members given twice, texts that are not Unicode, numbers outside decimal.</summary>
internal static class JsonChecks
{
    private const string HalfPair = "The text has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.";

    /// <summary>Adds what is wrong.</summary>
    /// <returns>False when a text or number cannot even be read, so that nothing else can be checked.</returns>
    public static bool Check(JsonElement element, string path, ICollection<DefinitionError> errors) => element.ValueKind switch
    {
        JsonValueKind.Object => CheckMembers(element, path, errors),
        JsonValueKind.Array => CheckItems(element, path, errors),
        JsonValueKind.String when Text(element) is null => Refuse(path, HalfPair, errors),
        JsonValueKind.Number when !element.TryGetDecimal(out _) => Refuse(
            path, $"The number {DefinitionPath.Shorten(element.GetRawText())} is outside the range of a decimal (about 7.9E28); write it "
                + "as a text.", errors),
        _ => true,
    };

    private static bool Refuse(string path, string message, ICollection<DefinitionError> errors)
    {
        errors.Add(new DefinitionError(path, message));
        return false;
    }

    private static bool CheckItems(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        var readable = true;
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            readable &= Check(item, DefinitionPath.Item(path, index++), errors);
        }

        return readable;
    }

    private static bool CheckMembers(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        var readable = true;
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var member in element.EnumerateObject())
        {
            if (Name(member) is not { } name)
            {
                readable = Refuse(
                    path, "The name of a member has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.", errors);
                continue;
            }

            var memberPath = DefinitionPath.Member(path, name);
            if (!names.Add(name))
            {
                errors.Add(new DefinitionError(memberPath, $"'{DefinitionPath.Shorten(name)}' is given twice; keep one."));
            }

            readable &= Check(member.Value, memberPath, errors);
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
