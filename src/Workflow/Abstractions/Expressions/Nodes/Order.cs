namespace Workflow.Abstractions.Expressions.Nodes;

internal enum Order
{
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
