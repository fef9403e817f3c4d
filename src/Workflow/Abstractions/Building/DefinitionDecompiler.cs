using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Abstractions.Building;

/// <summary>
/// Writes a definition as C# that builds it by <see cref="WorkflowBuilder"/>: the same definition, the same code; and
/// what the code builds has the canonical JSON of the definition, byte by byte.
/// </summary>
public static class DefinitionDecompiler
{
    /// <param name="definition">Canonical JSON, UTF-8.</param>
    /// <param name="options">Names in the code; those made from the definition's name when null.</param>
    /// <exception cref="DefinitionInvalidException">It is no definition.</exception>
    public static string Decompile(ReadOnlyMemory<byte> definition, CodeOptions? options = null)
    {
        var compilation = DefinitionCompiler.Compile(definition, new DefinitionRules());
        return Decompile(compilation.Definition ?? throw new DefinitionInvalidException(compilation.Errors), options);
    }

    /// <param name="options">Names in the code; those made from the definition's name when null.</param>
    public static string Decompile(WorkflowDefinition definition, CodeOptions? options = null)
    {
        using var document = JsonDocument.Parse(definition.CanonicalJson);
        var given = options ?? new CodeOptions();
        var writer = new CodeWriter();
        writer.Append($$"""
            using Workflow.Abstractions.Building;
            using Workflow.Abstractions.Definitions;

            namespace {{given.Namespace}};

            /// <summary>The definition "{{definition.Name}}", version {{definition.Version}}.</summary>
            public static class {{given.ClassName ?? ClassName(definition.Name)}}
            {
                public static WorkflowDefinition Build() => new WorkflowBuilder("{{definition.Name}}", {{definition.Version}})
            """);
        foreach (var call in new DefinitionWriter(document.RootElement).Calls())
        {
            writer.NewLine(8);
            call.Write(writer, 8, 0);
        }

        writer.Append(";\n}\n");
        return writer.ToString();
    }

    /// <summary>quote-or-apl_cancel becomes QuoteOrAplCancelWorkflow.</summary>
    private static string ClassName(string name)
    {
        var words = name.Split(['.', '_', '-'], StringSplitOptions.RemoveEmptyEntries)
            .Select(word => $"{char.ToUpperInvariant(word[0])}{word[1..]}");
        var joined = string.Concat(words);
        return $"{(joined.Length == 0 || char.IsAsciiDigit(joined[0]) ? "Definition" : "")}{joined}Workflow";
    }
}

/// <summary>
/// Takes the members of an object, and notices when one is left over: nothing of a definition is lost in silence.
/// </summary>
/// <param name="known">Members that somebody else takes.</param>
internal sealed class MemberTaker(string owner, JsonElement element, params string[] known)
{
    private readonly HashSet<string> _taken = [.. known];

    public JsonElement? Find(string name)
    {
        _taken.Add(name);
        return element.TryGetProperty(name, out var value) ? value : null;
    }

    public JsonElement Required(string name) =>
        Find(name) ?? throw new InvalidOperationException($"{owner} has no '{name}', although it was compiled.");

    public string? Text(string name) => Find(name)?.GetString();
    public Code String(string name) => Code.Of(Required(name));

    /// <summary>A call with the value of the member, if there is one.</summary>
    public IEnumerable<Code> Calls(string method, string name) => Find(name) is { } value
        ? [new CodeCall($".{method}", [Code.Of(value)])]
        : [];

    /// <summary>The value of the member as an argument of that name, if there is one.</summary>
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
