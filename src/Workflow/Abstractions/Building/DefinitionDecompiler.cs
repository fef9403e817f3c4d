using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Abstractions.Building;

/// <summary>
/// Writes C# code that builds a definition with <see cref="WorkflowBuilder"/>. The same definition always gives the
/// same code, and the built definition has the same canonical JSON, byte by byte.
/// </summary>
public static class DefinitionDecompiler
{
    /// <param name="definition">Canonical JSON, UTF-8.</param>
    /// <param name="options">Names in the code; derived from the name of the definition if null.</param>
    /// <exception cref="DefinitionInvalidException">The JSON is not a valid definition.</exception>
    public static string Decompile(ReadOnlyMemory<byte> definition, CodeOptions? options = null)
    {
        var compilation = DefinitionCompiler.Compile(definition, new DefinitionRules());
        return Decompile(compilation.Definition ?? throw new DefinitionInvalidException(compilation.Errors), options);
    }

    /// <param name="options">Names in the code; derived from the name of the definition if null.</param>
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
