namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>A member of an object in a definition.</summary>
internal sealed record Member(string Name, MemberKind Kind, bool Required = false);
