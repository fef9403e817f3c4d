namespace Workflow.Contracts.Definitions;

/// <summary>Answer of <c>POST /definitions/validate</c>.</summary>
public sealed record DefinitionValidation(bool Valid, IReadOnlyList<DefinitionProblem> Errors)
{
    /// <summary>As of <see cref="DefinitionInfo.Warnings"/>. Null for none, and where there are errors.</summary>
    public IReadOnlyList<DefinitionProblem>? Warnings { get; init; }

    /// <summary>As of <see cref="DefinitionInfo.PassedOver"/>. Null for none, and where there are errors.</summary>
    public IReadOnlyList<PassedOver>? PassedOver { get; init; }
}
