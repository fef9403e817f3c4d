namespace Workflow.Abstractions.Expressions;

internal enum TokenKind
{
    End,
    Number,
    String,
    Name,
    Keyword,
    Symbol,
}
