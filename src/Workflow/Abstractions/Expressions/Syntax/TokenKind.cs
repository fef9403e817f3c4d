namespace Workflow.Abstractions.Expressions.Syntax;

internal enum TokenKind
{
    End,
    Number,
    String,
    Name,
    Keyword,
    Symbol,
}
