using Workflow.Abstractions.Definitions;

namespace Workflow.Abstractions.Exceptions;

/// <summary>A definition has errors; every one of them is listed.</summary>
public sealed class DefinitionInvalidException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public DefinitionInvalidException(IReadOnlyList<DefinitionError> errors)
        : base($"The definition has {errors.Count} error(s): " + string.Join(" | ", errors.Select(e => $"{e.Path}: {e.Message}")))
    {
        Errors = errors;
    }

    /// <summary>Every error found.</summary>
    public IReadOnlyList<DefinitionError> Errors { get; }

    /// <inheritdoc/>
    public override string Code => "definition-invalid";
}
