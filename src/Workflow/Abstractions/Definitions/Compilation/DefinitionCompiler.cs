using System.Text.Unicode;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Turns the canonical JSON of a definition into a <see cref="WorkflowDefinition"/>, or into every error found. Its
/// members are those of the published JSON Schema. Beyond the schema it checks names and expressions, and that the
/// graph of steps is sound: every step named exists, every step is reached, and the branches of a fork meet at its
/// join. Loops are allowed.
/// </summary>
public static class DefinitionCompiler
{
    /// <summary>The most steps a definition may have.</summary>
    public const int MaxSteps = 1000;

    /// <summary>The deepest nesting of the JSON.</summary>
    public const int MaxJsonDepth = 64;

    /// <summary>How many errors are reported at most; the last one then counts the others.</summary>
    public const int MaxErrors = 200;

    private static readonly JsonDocumentOptions Options = new() { MaxDepth = MaxJsonDepth };

    /// <summary>Compiles a definition. Never throws for bad input.</summary>
    /// <param name="json">The body: UTF-8, with or without byte order mark.</param>
    /// <param name="rules">What it is checked against besides itself.</param>
    public static DefinitionCompilation Compile(ReadOnlyMemory<byte> json, DefinitionRules rules)
    {
        var body = json.Span.StartsWith("\uFEFF"u8) ? json[3..] : json;
        if (!Utf8.IsValid(body.Span))
        {
            return Refused("The body is not valid UTF-8; send JSON in UTF-8.");
        }

        try
        {
            using var document = JsonDocument.Parse(body, Options);
            return new DefinitionReader(rules).Read(document.RootElement);
        }
        catch (JsonException exception)
        {
            var position = $"line {exception.LineNumber + 1}, column {exception.BytePositionInLine + 1}";
            return Refused($"The body is not JSON at {position} (columns count bytes): {JsonReason.Of(exception)}");
        }
    }

    private static DefinitionCompilation Refused(string message) => new(null, [new DefinitionError("", message)]);
}
