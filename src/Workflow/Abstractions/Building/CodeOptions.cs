namespace Workflow.Abstractions.Building;

/// <summary>Names in generated code.</summary>
public sealed record CodeOptions
{
    public string Namespace { get; init; } = "Definitions";

    /// <summary>The class; by default the definition's name in Pascal case with <c>Workflow</c> after it.</summary>
    public string? ClassName { get; init; }
}
