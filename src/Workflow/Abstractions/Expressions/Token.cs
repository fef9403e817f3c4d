namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A token. Text is the name without its backticks, or the symbol; Start counts from 0 in the source as given.
/// </summary>
internal readonly record struct Token(TokenKind Kind, string Text, int Start, Value Literal = default)
{
    public bool IsSymbol(string symbol) => Kind == TokenKind.Symbol && Text == symbol;
    public bool IsKeyword(string keyword) => Kind == TokenKind.Keyword && Text == keyword;

    /// <summary>The token as an error message names it.</summary>
    public string Shown => Kind == TokenKind.End ? "the end of the expression" : $"'{StoreLimits.Excerpt(Text, 40)}'";
}
