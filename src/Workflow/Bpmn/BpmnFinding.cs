namespace Workflow.Bpmn;

/// <summary>Something in a BPMN file that is not imported.</summary>
/// <param name="Element">The kind of element, e.g. <c>complexGateway</c>; empty for the file itself.</param>
/// <param name="Id">Its id; null where it has none.</param>
/// <param name="Name">What a person calls it; null where it has no name.</param>
/// <param name="Line">From 1.</param>
/// <param name="Column">From 1.</param>
/// <param name="Message">What is not imported and why, and what to use instead.</param>
public sealed record BpmnFinding(string Element, string? Id, string? Name, int Line, int Column, string Message)
{
    /// <summary>The element as a message names it, e.g. <c>scriptTask 'sum' ("Add up")</c>.</summary>
    public string Subject => Element.Length == 0 ? "the file"
        : $"{Element}{(Id is null ? "" : $" '{Id}'")}{(Name is null ? "" : $" (\"{Name}\")")}";

    public override string ToString() => $"line {Line}, column {Column}, {Subject}: {Message}";
}
