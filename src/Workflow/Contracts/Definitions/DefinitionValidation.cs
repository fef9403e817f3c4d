namespace Workflow.Contracts.Definitions;

/// <summary>Answer of <c>POST /definitions/validate</c>.</summary>
/// <param name="Valid">True when the definition could be registered.</param>
/// <param name="Errors">Every problem found.</param>
public sealed record DefinitionValidation(bool Valid, IReadOnlyList<DefinitionProblem> Errors);
