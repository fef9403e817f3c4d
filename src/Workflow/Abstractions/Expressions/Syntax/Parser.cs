using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions.Syntax;

/// <summary>
/// Recursive descent, lowest precedence first: if, or, and, comparison (with between and in), + -, * /, **, unary minus, access. As in the
/// FEEL grammar, unary minus binds tighter than ** and every binary operator associates to the left; comparisons do not chain.
/// A method returns null once <see cref="Error"/> is set. Nothing backtracks, so the time is linear in the length.
/// </summary>
internal sealed partial class Parser
{
    // A level of nesting holds at most eight nodes one above the other, so this is only met by chains.
    private const int MaxHeight = ExpressionCompiler.MaxDepth * 10;

    private readonly string _source;
    private readonly List<Token> _tokens;
    private readonly HashSet<string> _variables = new(StringComparer.Ordinal);
    private int _next;
    private int _depth;

    public Parser(string source)
    {
        _source = source;
        var lexer = new Lexer(source);
        _tokens = lexer.Read() ?? [];
        Error = lexer.Error;
    }

    public ExpressionError? Error { get; private set; }

    public IReadOnlyCollection<string> Variables => _variables;

    private Token Current => _tokens[_next];

    private Token Following => _tokens[Math.Min(_next + 1, _tokens.Count - 1)];

    public Node? Parse()
    {
        if (Error is not null)
        {
            return null;
        }

        if (Current.Kind == TokenKind.End)
        {
            return Fail(Current, "The expression is empty; write a value, a variable or a call.");
        }

        if (Expression() is not { } root)
        {
            return null;
        }

        return Current.Kind == TokenKind.End ? root : Fail(Current, Leftover(Current));
    }

    private static string Leftover(Token token) => token.Kind switch
    {
        TokenKind.Symbol when token.Text is ")" or "]" or "}" => $"'{token.Text}' closes nothing; remove it, or add its opening bracket.",
        TokenKind.Symbol when token.Text is ".." => "A range stands only after 'in', as in x in [1..10].",
        _ => $"Expected an operator or the end of the expression, but found {token.Shown}.",
    };

    private Node? Expression()
    {
        if (!Descend())
        {
            return null;
        }

        var node = Current.IsKeyword("if") ? Conditional() : Disjunction();
        _depth--;
        return node;
    }

    private Node? Conditional()
    {
        _next++;
        if (Expression() is not { } condition || !TakeKeyword("then")
            || Expression() is not { } whenTrue || !TakeKeyword("else")
            || Expression() is not { } otherwise)
        {
            return null;
        }

        return new ConditionalNode(condition, whenTrue, otherwise);
    }

    private Node? Disjunction()
    {
        var first = Conjunction();
        return first is not null && Current.IsKeyword("or") ? Remaining(first, "or") is { } operands ? new OrNode(operands) : null : first;
    }

    private Node? Conjunction()
    {
        var first = Comparison();
        return first is not null && Current.IsKeyword("and") ? Remaining(first, "and") is { } operands ? new AndNode(operands) : null : first;
    }

    // Chains become one node with many operands: a long sum or disjunction must not make a deep tree.
    private Node[]? Remaining(Node first, string keyword)
    {
        List<Node> operands = [first];
        while (Current.IsKeyword(keyword))
        {
            _next++;
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

        var token = Current;
        var node = token switch
        {
            { Kind: TokenKind.Symbol, Text: "=" or "!=" or "<" or "<=" or ">" or ">=" } => Compared(left),
            { Kind: TokenKind.Keyword, Text: "between" } => Between(left),
            { Kind: TokenKind.Keyword, Text: "in" } => Membership(left),
            _ => left,
        };
        if (node is not null && node != left && IsComparison(Current))
        {
            return Fail(Current, "Comparisons do not chain; join two of them with 'and', or put one in parentheses.");
        }

        return node;
    }

    private static bool IsComparison(Token token) =>
        token is { Kind: TokenKind.Symbol, Text: "=" or "!=" or "<" or "<=" or ">" or ">=" } or { Kind: TokenKind.Keyword, Text: "between" or "in" };

    private Node? Compared(Node left)
    {
        var symbol = _tokens[_next++].Text;
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
        _next++;
        return Additive() is { } low && TakeKeyword("and") && Additive() is { } high ? new RangeNode(value, low, high, true, true) : null;
    }

    private Node? Additive()
    {
        var first = Multiplicative();
        return first is not null && (Current.IsSymbol("+") || Current.IsSymbol("-")) ? Chain(first, "+", "-") : first;
    }

    private Node? Multiplicative()
    {
        var first = Power();
        return first is not null && (Current.IsSymbol("*") || Current.IsSymbol("/")) ? Chain(first, "*", "/") : first;
    }

    private ChainNode? Chain(Node first, string forward, string inverse)
    {
        List<ChainTerm> terms = [];
        while (Current.IsSymbol(forward) || Current.IsSymbol(inverse))
        {
            var operation = _tokens[_next++].Text[0];
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
        while (node is not null && Current.IsSymbol("**"))
        {
            var token = _tokens[_next++];
            node = Unary() is { } exponent ? Grown(new PowerNode(node, exponent), token) : null;
        }

        return node;
    }

    private Node? Unary()
    {
        if (!Current.IsSymbol("-"))
        {
            return Primary() is { } primary ? Accesses(primary) : null;
        }

        if (!Descend())
        {
            return null;
        }

        _next++;
        var operand = Unary();
        _depth--;
        return operand is null ? null : new NegateNode(operand);
    }

    private bool Descend()
    {
        if (_depth == ExpressionCompiler.MaxDepth)
        {
            TooDeep(Current);
            return false;
        }

        _depth++;
        return true;
    }

    // Left-deep trees (a.b.c, a[1][2], a ** b ** c) grow without recursion in the parser, but evaluation recurses through them.
    private Node? Grown(Node node, Token token) => node.Height <= MaxHeight
        ? node
        : Fail(token, $"The expression chains more than {MaxHeight} accesses or powers; split it over several variables.");

    private Node? TooDeep(Token token) =>
        Fail(token, $"The expression nests deeper than {ExpressionCompiler.MaxDepth} levels; split it over several variables.");

    private bool TakeSymbol(string symbol, string after)
    {
        if (Current.IsSymbol(symbol))
        {
            _next++;
            return true;
        }

        Fail(Current, $"Expected '{symbol}' after {after}, but found {Current.Shown}.");
        return false;
    }

    private bool TakeKeyword(string keyword)
    {
        if (Current.IsKeyword(keyword))
        {
            _next++;
            return true;
        }

        Fail(Current, $"Expected '{keyword}', but found {Current.Shown}. {(keyword == "and" ? "Write x between a and b." : "Write if a then b else c.")}");
        return false;
    }

    private Node? Fail(Token token, string message)
    {
        Error ??= new ExpressionError(message, token.Start + 1, _source);
        return null;
    }
}
