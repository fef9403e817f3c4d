namespace Workflow.Abstractions.Expressions;

/// <summary>The place in the tokens of a source, with the first error and the depth: what both parsers share.</summary>
internal sealed class TokenCursor
{
    // A level of nesting holds at most eight nodes one above the other, so this is only met by chains.
    private const int MaxHeight = ExpressionCompiler.MaxDepth * 10;

    private readonly string _source;
    private readonly List<Token> _tokens;
    private int _next;
    private int _depth;

    public TokenCursor(string source)
    {
        _source = source;
        var lexer = new Lexer(source);
        _tokens = lexer.Read() ?? [];
        Error = lexer.Error;
    }

    public ExpressionError? Error { get; private set; }
    public Token Current => _tokens[_next];
    public Token Following => Ahead(1);

    public Token Ahead(int count) => _tokens[Math.Min(_next + count, _tokens.Count - 1)];

    /// <summary>Where a name stands in the source, its backticks included.</summary>
    public VariableReference Reference(Token name, bool isPosition) =>
        new(name.Text, name.Start, name.Text.Length + (_source[name.Start] == '`' ? 2 : 0), isPosition);

    public Token Take() => _tokens[_next++];

    public bool Descend()
    {
        if (_depth == ExpressionCompiler.MaxDepth)
        {
            Fail(Current, $"The expression nests deeper than {ExpressionCompiler.MaxDepth} levels; split it over "
                + "several variables.");
            return false;
        }

        _depth++;
        return true;
    }

    public void Ascend() => _depth--;

    // Left-deep trees (a.b.c, a[1][2], a ** b ** c) grow without recursion in the parser, but evaluation recurses
    // through them.
    public Node? Grown(Node node, Token token) => node.Height <= MaxHeight
        ? node
        : Fail(token,
            $"The expression chains more than {MaxHeight} accesses or powers; split it over several variables.");

    public bool TakeSymbol(string symbol, string after)
    {
        if (Current.IsSymbol(symbol))
        {
            _next++;
            return true;
        }

        Fail(Current, $"Expected '{symbol}' after {after}, but found {Current.Shown}.");
        return false;
    }

    public bool TakeKeyword(string keyword)
    {
        if (Current.IsKeyword(keyword))
        {
            _next++;
            return true;
        }

        Fail(Current, $"Expected '{keyword}', but found {Current.Shown}. "
            + $"{(keyword == "and" ? "Write x between a and b." : "Write if a then b else c.")}");
        return false;
    }

    public bool TakeComma()
    {
        if (!Current.IsSymbol(","))
        {
            return false;
        }

        _next++;
        return true;
    }

    public Node? Fail(Token token, string message)
    {
        Error ??= new ExpressionError(message, token.Start + 1, _source);
        return null;
    }

    /// <summary>What stands here belongs to no expression.</summary>
    public Node? FailLeftover() => Fail(Current, Current.Kind switch
    {
        TokenKind.Symbol when Current.Text is ")" or "]" or "}" =>
            $"'{Current.Text}' closes nothing; remove it, or add its opening bracket.",
        TokenKind.Symbol when Current.Text is ".." => "A range stands only after 'in', as in x in [1..10].",
        TokenKind.Name when Current.Text is "instance" =>
            "'instance of' is not supported; compare with what the kind needs, e.g. x != null.",
        _ => $"Expected an operator or the end of the expression, but found {Current.Shown}.",
    });
}
