namespace Workflow.Abstractions.Expressions;

internal enum Order
{
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
