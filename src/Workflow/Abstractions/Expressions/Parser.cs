namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Recursive descent, lowest precedence first: if, or, and, comparison (with between and in), + -, * /, **, unary
/// minus, access. As in the FEEL grammar, unary minus binds tighter than ** and every binary operator associates to the
/// left; comparisons do not chain. A method returns null once <see cref="Error"/> is set. Nothing backtracks, so the
/// time is linear in the length.
/// </summary>
internal sealed class Parser
{
    private readonly TokenCursor _tokens;
    private readonly OperandParser _operands;

    public Parser(string source)
    {
        _tokens = new TokenCursor(source);
        _operands = new OperandParser(_tokens, Expression);
    }

    public ExpressionError? Error => _tokens.Error;
    public IReadOnlyList<VariableReference> References => _operands.References;

    public Node? Parse()
    {
        if (Error is not null)
        {
            return null;
        }

        if (_tokens.Current.Kind == TokenKind.End)
        {
            return _tokens.Fail(_tokens.Current, "The expression is empty; write a value, a variable or a call.");
        }

        if (Expression() is not { } root)
        {
            return null;
        }

        return _tokens.Current.Kind == TokenKind.End ? root : _tokens.FailLeftover();
    }

    private Node? Expression()
    {
        if (!_tokens.Descend())
        {
            return null;
        }

        var node = _tokens.Current.IsKeyword("if") ? Conditional() : Disjunction();
        _tokens.Ascend();
        return node;
    }

    private Node? Conditional()
    {
        _tokens.Take();
        if (Expression() is not { } condition || !_tokens.TakeKeyword("then")
            || Expression() is not { } whenTrue || !_tokens.TakeKeyword("else")
            || Expression() is not { } otherwise)
        {
            return null;
        }

        return new ConditionalNode(condition, whenTrue, otherwise);
    }

    private Node? Disjunction()
    {
        var first = Conjunction();
        if (first is null || !_tokens.Current.IsKeyword("or"))
        {
            return first;
        }

        return Remaining(first, "or") is { } operands ? new OrNode(operands) : null;
    }

    private Node? Conjunction()
    {
        var first = Comparison();
        if (first is null || !_tokens.Current.IsKeyword("and"))
        {
            return first;
        }

        return Remaining(first, "and") is { } operands ? new AndNode(operands) : null;
    }

    // Chains become one node with many operands: a long sum or disjunction must not make a deep tree.
    private Node[]? Remaining(Node first, string keyword)
    {
        List<Node> operands = [first];
        while (_tokens.Current.IsKeyword(keyword))
        {
            _tokens.Take();
            if ((keyword == "or" ? Conjunction() : Comparison()) is not { } operand)
            {
                return null;
            }

            operands.Add(operand);
        }

        return [.. operands];
    }

    private Node? Comparison()
    {
        if (Additive() is not { } left)
        {
            return null;
        }

        var token = _tokens.Current;
        var node = token switch
        {
            { Kind: TokenKind.Symbol, Text: "=" or "!=" or "<" or "<=" or ">" or ">=" } => Compared(left),
            { Kind: TokenKind.Keyword, Text: "between" } => Between(left),
            { Kind: TokenKind.Keyword, Text: "in" } => _operands.ReadMembership(left),
            _ => left,
        };
        if (node is not null && node != left && IsComparison(_tokens.Current))
        {
            return _tokens.Fail(
                _tokens.Current, "Comparisons do not chain; join two of them with 'and', or put one in parentheses.");
        }

        return node;
    }

    private static bool IsComparison(Token token) =>
        token is { Kind: TokenKind.Symbol, Text: "=" or "!=" or "<" or "<=" or ">" or ">=" }
            or { Kind: TokenKind.Keyword, Text: "between" or "in" };

    private Node? Compared(Node left)
    {
        var symbol = _tokens.Take().Text;
        return Additive() is not { } right ? null : symbol switch
        {
            "=" => new EqualNode(left, right, true),
            "!=" => new EqualNode(left, right, false),
            "<" => new OrderNode(left, right, Order.Less),
            "<=" => new OrderNode(left, right, Order.LessOrEqual),
            ">" => new OrderNode(left, right, Order.Greater),
            _ => new OrderNode(left, right, Order.GreaterOrEqual),
        };
    }

    private Node? Between(Node value)
    {
        _tokens.Take();
        return Additive() is { } low && _tokens.TakeKeyword("and") && Additive() is { } high
            ? new RangeNode(value, low, high, true, true)
            : null;
    }

    private Node? Additive()
    {
        var first = Multiplicative();
        return first is not null && (_tokens.Current.IsSymbol("+") || _tokens.Current.IsSymbol("-"))
            ? Chain(first, "+", "-")
            : first;
    }

    private Node? Multiplicative()
    {
        var first = Power();
        return first is not null && (_tokens.Current.IsSymbol("*") || _tokens.Current.IsSymbol("/"))
            ? Chain(first, "*", "/")
            : first;
    }

    private ChainNode? Chain(Node first, string forward, string inverse)
    {
        List<ChainTerm> terms = [];
        while (_tokens.Current.IsSymbol(forward) || _tokens.Current.IsSymbol(inverse))
        {
            var operation = _tokens.Take().Text[0];
            if ((forward == "+" ? Multiplicative() : Power()) is not { } operand)
            {
                return null;
            }

            terms.Add(new ChainTerm(operation, operand));
        }

        return new ChainNode(first, [.. terms]);
    }

    private Node? Power()
    {
        var node = Unary();
        while (node is not null && _tokens.Current.IsSymbol("**"))
        {
            var token = _tokens.Take();
            node = Unary() is { } exponent ? _tokens.Grown(new PowerNode(node, exponent), token) : null;
        }

        return node;
    }

    private Node? Unary()
    {
        if (!_tokens.Current.IsSymbol("-"))
        {
            return _operands.Read();
        }

        if (!_tokens.Descend())
        {
            return null;
        }

        _tokens.Take();
        var operand = Unary();
        _tokens.Ascend();
        return operand is null ? null : new NegateNode(operand);
    }

}
