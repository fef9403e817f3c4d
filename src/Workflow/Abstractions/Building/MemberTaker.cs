namespace Workflow.Abstractions.Building;

/// <summary>
/// Reads the members of an object and detects members that were not read, so that the decompiler loses nothing.
/// </summary>
/// <param name="known">Members that the caller reads by other means.</param>
internal sealed class MemberTaker(string owner, JsonElement element, params string[] known)
{
    private readonly HashSet<string> _taken = [.. known];

    public JsonElement? Find(string name)
    {
        _taken.Add(name);
        return element.TryGetProperty(name, out var value) ? value : null;
    }

    /// <summary>A member that the compiler requires.</summary>
    public JsonElement Required(string name) => Find(name)!.Value;

    public string? Text(string name) => Find(name)?.GetString();
    public Code String(string name) => Code.Of(Required(name));

    /// <summary>A call with the value of the member; empty without the member.</summary>
    public IEnumerable<Code> Calls(string method, string name) => Find(name) is { } value
        ? [new CodeCall($".{method}", [Code.Of(value)])]
        : [];

    /// <summary>The value of the member as an argument of that name; empty without the member.</summary>
    public IEnumerable<Code> Arguments(string name, bool isFirst = false) => Find(name) is { } value
        ? [new CodeAtom(isFirst ? Code.Of(value).Flat! : $"{name}: {Code.Of(value).Flat}")]
        : [];

    /// <exception cref="NotSupportedException">The compiler knows a member that the decompiler does not.</exception>
    public void RequireNothingLeft()
    {
        if (element.EnumerateObject().Select(member => member.Name)
            .FirstOrDefault(name => !_taken.Contains(name)) is { } left)
        {
            throw new NotSupportedException($"{owner} has the member '{left}', which the decompiler does not know.");
        }
    }
}
