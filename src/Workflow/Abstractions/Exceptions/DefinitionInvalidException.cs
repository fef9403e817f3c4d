namespace Workflow.Abstractions.Exceptions;

/// <summary>A definition has errors. The exception lists all of them.</summary>
public sealed class DefinitionInvalidException(IReadOnlyList<DefinitionError> errors) : WorkflowException(
    $"The definition has {errors.Count} error(s): " + string.Join(" | ", errors.Select(Shown)))
{
    public IReadOnlyList<DefinitionError> Errors { get; } = errors;
    public override string Code => "definition-invalid";

    private static string Shown(DefinitionError error) =>
        error.Column is { } column
            ? $"{error.Path}, column {column}: {error.Message}"
            : $"{error.Path}: {error.Message}";
}
