namespace Workflow.Abstractions.Definitions;

/// <summary>The outcome of compiling: a definition, or every error found.</summary>
/// <param name="Definition">The definition; null when there are errors.</param>
/// <param name="Errors">The errors; empty when there is a definition.</param>
public sealed record DefinitionCompilation(WorkflowDefinition? Definition, IReadOnlyList<DefinitionError> Errors);
