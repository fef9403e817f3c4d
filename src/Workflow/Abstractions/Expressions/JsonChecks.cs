namespace Workflow.Abstractions.Expressions;

/// <summary>
/// What JSON allows and a definition does not: members given twice, texts that are not Unicode, numbers that a decimal
/// does not hold exactly.
/// </summary>
internal sealed class JsonChecks
{
    private const string HalfPair =
        "The text has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.";

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
        JsonValueKind.Number when !ExactNumber.TryRead(element, out _) =>
            Refuse(ExactNumber.Problem(element.GetRawText(), "write it as a text, or rounded")),
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
                readable = Refuse(
                    "The name of a member has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none.");
                continue;
            }

            _path.Enter(name);
            if (!names.Add(name))
            {
                _errors.Add(
                    new DefinitionError(
                        _path.ToString(), $"'{DefinitionPath.Shorten(name)}' is given twice; keep one."));
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
