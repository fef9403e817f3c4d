namespace Workflow.Abstractions.Definitions;

/// <summary>
/// The place in another document, e.g. a BPMN model, that a definition or step was made from. At least one member is
/// set.
/// </summary>
/// <param name="Document">The file or model; null for a step of the document that the definition names.</param>
/// <param name="Element">The id of the element in the document.</param>
/// <param name="Line">The line in the document, from 1.</param>
public sealed record SourceLocation(string? Document = null, string? Element = null, int? Line = null);
