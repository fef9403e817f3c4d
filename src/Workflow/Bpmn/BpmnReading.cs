namespace Workflow.Bpmn;

public sealed record BpmnReading
{
    /// <summary>
    /// What becomes of attributes and extensions that nothing here knows. They are refused by default.
    /// </summary>
    public UnknownContent Unknown { get; init; }

    /// <summary>
    /// The encoding that the sender names, e.g. <c>utf-8</c>. It counts before the XML declaration, and a byte order
    /// mark before it. Null (the default) if the sender names none.
    /// </summary>
    public string? Charset { get; init; }
}
