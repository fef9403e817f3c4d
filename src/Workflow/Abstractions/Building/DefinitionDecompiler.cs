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
