namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Literals, names, calls, brackets and what may follow them; <see cref="Parser"/> reads what stands inside brackets.
/// </summary>
internal sealed class OperandParser(TokenCursor tokens, Func<Node?> expression)
{
    private readonly List<VariableReference> _references = [];

    // The contexts around, the innermost last, with the entries that are complete; the slots of those that others read.
    private readonly List<Dictionary<string, int>> _contexts = [];
    private int _slots;

    private int _brackets;

    public IReadOnlyList<VariableReference> References => _references;

    public Node? Read() => Primary() is { } primary ? Accesses(primary) : null;

    private Node? Primary()
    {
        var token = tokens.Current;
        switch (token.Kind)
        {
            case TokenKind.Number:
            case TokenKind.String:
                tokens.Take();
                return new ConstantNode(token.Literal);
            case TokenKind.Name:
                return NameOrCall();
            case TokenKind.Keyword:
                return Keyword(token);
            case TokenKind.Symbol when token.Text == "(":
                return Parenthesised();
            case TokenKind.Symbol when token.Text == "[":
                tokens.Take();
                return ListFrom([]);
            case TokenKind.Symbol when token.Text == "{":
                return Context();
            default:
                return tokens.Fail(token, $"Expected a value, a variable, a call or '(', but found {token.Shown}.");
        }
    }

    private Node? Keyword(Token token)
    {
        tokens.Take();
        return token.Text switch
        {
            "true" => new ConstantNode(Value.From(true)),
            "false" => new ConstantNode(Value.From(false)),
            "null" => new ConstantNode(Value.Null),
            "not" when tokens.Current.IsSymbol("(") => Call(token, "not"),
            "not" => tokens.Fail(tokens.Current, "Negation is written not(x), with parentheses."),
            "if" => tokens.Fail(token, "Put the condition in parentheses when it is an operand: (if a then b else c)."),
            _ => tokens.Fail(
                token,
                $"'{token.Text}' is a keyword; expected a value, or the name in backticks if it is a variable."),
        };
    }

    private Node? Parenthesised()
    {
        tokens.Take();
        return expression() is { } inner && tokens.TakeSymbol(")", "the expression in parentheses") ? inner : null;
    }

    private Node? NameOrCall()
    {
        var first = tokens.Current;
        if (CalledName() is { } name)
        {
            while (!tokens.Current.IsSymbol("("))
            {
                tokens.Take();
            }

            return Call(first, name);
        }

        return first.Text is "for" or "some" or "every" && tokens.Following.Kind == TokenKind.Name
            && tokens.Ahead(2).IsKeyword("in")
            ? tokens.Fail(first, $"'{first.Text}' over the items of a list is not supported; let an activity do it.")
            : Variable(tokens.Take());
    }

    // Some FEEL functions have blanks in their name, and keywords: upper case(x), date and time(x).
    private string? CalledName()
    {
        var name = "";
        for (var words = 1; words <= FunctionTable.MostWords
            && tokens.Ahead(words - 1) is { Kind: TokenKind.Name or TokenKind.Keyword } word;
            words++)
        {
            name = words == 1 ? word.Text : $"{name} {word.Text}";
            if (tokens.Ahead(words).IsSymbol("("))
            {
                return (words <= 2 && word.Kind == TokenKind.Name) || FunctionTable.Knows(name) ? name : null;
            }
        }

        return null;
    }

    private Node Variable(Token name)
    {
        for (var i = _contexts.Count - 1; i >= 0; i--)
        {
            if (_contexts[i].TryGetValue(name.Text, out var slot))
            {
                slot = _contexts[i][name.Text] = slot >= 0 ? slot : _slots++;
                return new EntryNode(slot);
            }
        }

        _references.Add(tokens.Reference(name, _brackets > 0));
        return new VariableNode(name.Text);
    }

    private Node? Call(Token token, string name)
    {
        if (!FunctionTable.TryGet(name, out var function))
        {
            return tokens.Fail(token, FunctionTable.Problem(name));
        }

        tokens.Take();
        List<Node> arguments = [];
        if (!tokens.Current.IsSymbol(")"))
        {
            do
            {
                if (expression() is not { } argument)
                {
                    return null;
                }

                arguments.Add(argument);
            }
            while (tokens.TakeComma());
        }

        if (tokens.Current.IsSymbol(":"))
        {
            return tokens.Fail(
                tokens.Current, $"Named arguments are not supported; write the arguments of {name} in their order.");
        }

        if (!tokens.TakeSymbol(")", $"the arguments of {name}"))
        {
            return null;
        }

        return function.Accepts(arguments.Count)
            ? function.Bind([.. arguments])
            : tokens.Fail(token,
                $"{name} takes {function.Arity}, but {arguments.Count} {(arguments.Count == 1 ? "is" : "are")} given.");
    }

    private Node? ListFrom(List<Node> items)
    {
        if (items.Count == 0 && tokens.Current.IsSymbol("]"))
        {
            tokens.Take();
            return new ListNode([]);
        }

        if (items.Count == 0 || tokens.TakeComma())
        {
            do
            {
                if (expression() is not { } item)
                {
                    return null;
                }

                items.Add(item);
            }
            while (tokens.TakeComma());
        }

        if (tokens.Current.IsSymbol(".."))
        {
            return tokens.FailLeftover();
        }

        return tokens.TakeSymbol("]", "the items of the list") ? new ListNode([.. items]) : null;
    }

    private Node? Context()
    {
        tokens.Take();
        List<string> names = [];
        List<Node> values = [];
        var entries = new Dictionary<string, int>(StringComparer.Ordinal);
        _contexts.Add(entries);
        if (!tokens.Current.IsSymbol("}"))
        {
            do
            {
                if (!Member(names, values))
                {
                    return null;
                }

                entries.Add(names[^1], -1);
            }
            while (tokens.TakeComma());
        }

        _contexts.RemoveAt(_contexts.Count - 1);
        return tokens.TakeSymbol("}", "the members of the context")
            ? new ContextNode([.. names], [.. values], [.. names.Select(name => entries[name])]) : null;
    }

    private bool Member(List<string> names, List<Node> values)
    {
        var token = tokens.Current;
        if (token.Kind is not (TokenKind.Name or TokenKind.Keyword or TokenKind.String))
        {
            tokens.Fail(token, $"Expected the name of a member, but found {token.Shown}. Write {{name: value}} or "
                + $"{{\"a name\": value}}.");
            return false;
        }

        var name = token.Kind == TokenKind.String ? token.Literal.AsString() : token.Text;
        if (names.Contains(name, StringComparer.Ordinal))
        {
            tokens.Fail(token, $"The member '{name}' is given twice; keep one.");
            return false;
        }

        tokens.Take();
        if (!tokens.TakeSymbol(":", $"the member name '{name}'") || expression() is not { } value)
        {
            return false;
        }

        names.Add(name);
        values.Add(value);
        return true;
    }

    // After 'in': a range, or anything that gives a list or a single value.
    public Node? ReadMembership(Node value)
    {
        tokens.Take();
        var open = tokens.Current;
        if (open is { Kind: TokenKind.Symbol, Text: "<" or "<=" or ">" or ">=" or "=" or "!=" })
        {
            return tokens.Fail(open, $"Tests are not supported after 'in'; write x {open.Text} y.");
        }

        if (!open.IsSymbol("[") && !open.IsSymbol("("))
        {
            return Read() is { } whole ? new MemberOfNode(value, whole) : null;
        }

        if (tokens.Following.IsSymbol("]"))
        {
            return Read() is { } list ? new MemberOfNode(value, list) : null;
        }

        tokens.Take();
        if (expression() is not { } first)
        {
            return null;
        }

        if (tokens.Current.IsSymbol(".."))
        {
            return Range(value, first, open.Text == "[");
        }

        if (open.Text == "(" && tokens.Current.IsSymbol(","))
        {
            return tokens.Fail(tokens.Current, "Tests are not supported after 'in'; write a list: x in [a, b].");
        }

        var isClosed = open.Text == "[" || tokens.TakeSymbol(")", "the expression in parentheses");
        var bracket = open.Text == "[" ? ListFrom([first]) : first;
        return isClosed && bracket is not null && Accesses(bracket) is { } target
            ? new MemberOfNode(value, target)
            : null;
    }

    private Node? Range(Node value, Node low, bool lowIncluded)
    {
        tokens.Take();
        if (expression() is not { } high)
        {
            return null;
        }

        var close = tokens.Current;
        if (!close.IsSymbol("]") && !close.IsSymbol(")"))
        {
            return tokens.Fail(
                close, $"Expected ']' (end included) or ')' (end excluded) after the range, but found {close.Shown}.");
        }

        tokens.Take();
        return new RangeNode(value, low, high, lowIncluded, close.Text == "]");
    }

    private Node? Accesses(Node node)
    {
        var result = node;
        while (result is not null && (tokens.Current.IsSymbol(".") || tokens.Current.IsSymbol("[")))
        {
            result = tokens.Current.IsSymbol(".") ? Dotted(result) : Indexed(result);
        }

        return result;
    }

    private Node? Dotted(Node target)
    {
        tokens.Take();
        var name = tokens.Current;
        if (name.Kind is not (TokenKind.Name or TokenKind.Keyword))
        {
            return tokens.Fail(name, $"Expected the name of a member after '.', but found {name.Shown}.");
        }

        tokens.Take();
        return tokens.Grown(new MemberNode(target, name.Text), name);
    }

    private Node? Indexed(Node target)
    {
        var open = tokens.Take();
        var first = tokens.Current;
        _brackets++;
        if (expression() is not { } index)
        {
            return null;
        }

        _brackets--;
        if (index.IsTest)
        {
            return tokens.Fail(
                first,
                "Filters are not supported; between '[' and ']' stands a position, from 1, or negative from the end.");
        }

        return tokens.TakeSymbol("]", "the position") ? tokens.Grown(new IndexNode(target, index), open) : null;
    }
}
