namespace Workflow.Abstractions;

public enum ValueKind
{
    Null,
    Boolean,
    Number,
    String,
    List,
    Context,
}
