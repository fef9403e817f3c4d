namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>The outcome of compiling: a definition, or every error found.</summary>
/// <param name="Definition">The definition; null when there are errors.</param>
public sealed record DefinitionCompilation(WorkflowDefinition? Definition, IReadOnlyList<DefinitionError> Errors);
