namespace Workflow.Contracts.Definitions;

/// <summary>
/// Content of a BPMN file that the importer does not know and ignored, as the request asked.
/// </summary>
/// <param name="Path">The element that has it, e.g. <c>userTask 'approve' ("Approve")</c>.</param>
/// <param name="Kind">
/// <c>attribute</c>, <c>extension</c>, or <c>element</c> for a part that the standard defines.
/// </param>
/// <param name="Name">Its name without a prefix, e.g. <c>formKey</c>.</param>
/// <param name="Namespace">The namespace of the name; empty for none.</param>
/// <param name="Line">From 1.</param>
/// <param name="Column">From 1.</param>
/// <param name="Element">Id of the element that has it; null where it has none.</param>
public sealed record PassedOver(
    string Path, string Kind, string Name, string Namespace, int Line, int Column, string? Element);
