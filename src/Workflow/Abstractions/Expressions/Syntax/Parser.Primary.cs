using Workflow.Abstractions.Expressions.Functions;
using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions.Syntax;

/// <summary>Literals, names, calls, brackets and what may follow them.</summary>
internal sealed partial class Parser
{
    private Node? Primary()
    {
        var token = Current;
        switch (token.Kind)
        {
            case TokenKind.Number:
            case TokenKind.String:
                _next++;
                return new ConstantNode(token.Literal);
            case TokenKind.Name:
                return NameOrCall();
            case TokenKind.Keyword:
                return Keyword(token);
            case TokenKind.Symbol when token.Text == "(":
                return Parenthesised();
            case TokenKind.Symbol when token.Text == "[":
                _next++;
                return ListFrom([]);
            case TokenKind.Symbol when token.Text == "{":
                return Context();
            default:
                return Fail(token, $"Expected a value, a variable, a call or '(', but found {token.Shown}.");
        }
    }

    private Node? Keyword(Token token)
    {
        _next++;
        return token.Text switch
        {
            "true" => new ConstantNode(Value.From(true)),
            "false" => new ConstantNode(Value.From(false)),
            "null" => new ConstantNode(Value.Null),
            "not" when Current.IsSymbol("(") => Call(token, "not"),
            "not" => Fail(Current, "Negation is written not(x), with parentheses."),
            "if" => Fail(token, "Put the condition in parentheses when it is an operand: (if a then b else c)."),
            _ => Fail(token, $"'{token.Text}' is a keyword; expected a value, or the name in backticks if it is a variable."),
        };
    }

    private Node? Parenthesised()
    {
        _next++;
        return Expression() is { } inner && TakeSymbol(")", "the expression in parentheses") ? inner : null;
    }

    private Node? NameOrCall()
    {
        var name = _tokens[_next++];
        if (Current.IsSymbol("("))
        {
            return Call(name, name.Text);
        }

        // Some FEEL functions have a blank in their name: upper case(x).
        if (Current.Kind == TokenKind.Name && Following.IsSymbol("("))
        {
            return Call(name, $"{name.Text} {_tokens[_next++].Text}");
        }

        _variables.Add(name.Text);
        return new VariableNode(name.Text);
    }

    private Node? Call(Token token, string name)
    {
        if (!FunctionTable.TryGet(name, out var function))
        {
            var known = string.Join(", ", FunctionTable.Names);
            return Fail(token, $"Unknown function '{name}'.{Suggestion.For(name, FunctionTable.Names)} Known are: {known}.");
        }

        _next++;
        List<Node> arguments = [];
        if (!Current.IsSymbol(")"))
        {
            do
            {
                if (Expression() is not { } argument)
                {
                    return null;
                }

                arguments.Add(argument);
            }
            while (TakeComma());
        }

        if (!TakeSymbol(")", $"the arguments of {name}"))
        {
            return null;
        }

        return function.Accepts(arguments.Count)
            ? function.Bind([.. arguments])
            : Fail(token, $"{name} takes {function.Arity}, but {arguments.Count} {(arguments.Count == 1 ? "is" : "are")} given.");
    }

    private Node? ListFrom(List<Node> items)
    {
        if (items.Count == 0 && Current.IsSymbol("]"))
        {
            _next++;
            return new ListNode([]);
        }

        if (items.Count == 0 || TakeComma())
        {
            do
            {
                if (Expression() is not { } item)
                {
                    return null;
                }

                items.Add(item);
            }
            while (TakeComma());
        }

        if (Current.IsSymbol(".."))
        {
            return Fail(Current, Leftover(Current));
        }

        return TakeSymbol("]", "the items of the list") ? new ListNode([.. items]) : null;
    }

    private Node? Context()
    {
        _next++;
        List<string> names = [];
        List<Node> values = [];
        if (!Current.IsSymbol("}"))
        {
            do
            {
                if (!Member(names, values))
                {
                    return null;
                }
            }
            while (TakeComma());
        }

        return TakeSymbol("}", "the members of the context") ? new ContextNode([.. names], [.. values]) : null;
    }

    private bool Member(List<string> names, List<Node> values)
    {
        var token = Current;
        if (token.Kind is not (TokenKind.Name or TokenKind.Keyword or TokenKind.String))
        {
            Fail(token, $"Expected the name of a member, but found {token.Shown}. Write {{name: value}} or {{\"a name\": value}}.");
            return false;
        }

        var name = token.Kind == TokenKind.String ? token.Literal.AsString() : token.Text;
        if (names.Contains(name, StringComparer.Ordinal))
        {
            Fail(token, $"The member '{name}' is given twice; keep one.");
            return false;
        }

        _next++;
        if (!TakeSymbol(":", $"the member name '{name}'") || Expression() is not { } value)
        {
            return false;
        }

        names.Add(name);
        values.Add(value);
        return true;
    }

    // After 'in': a range, or anything that gives a list or a single value.
    private Node? Membership(Node value)
    {
        _next++;
        var open = Current;
        if (!open.IsSymbol("[") && !open.IsSymbol("("))
        {
            return Primary() is { } operand && Accesses(operand) is { } whole ? new MemberOfNode(value, whole) : null;
        }

        if (Following.IsSymbol("]"))
        {
            return Primary() is { } empty && Accesses(empty) is { } list ? new MemberOfNode(value, list) : null;
        }

        _next++;
        if (Expression() is not { } first)
        {
            return null;
        }

        if (Current.IsSymbol(".."))
        {
            return Range(value, first, open.Text == "[");
        }

        var bracket = open.Text == "[" ? ListFrom([first]) : TakeSymbol(")", "the expression in parentheses") ? first : null;
        return bracket is not null && Accesses(bracket) is { } target ? new MemberOfNode(value, target) : null;
    }

    private Node? Range(Node value, Node low, bool lowIncluded)
    {
        _next++;
        if (Expression() is not { } high)
        {
            return null;
        }

        var close = Current;
        if (!close.IsSymbol("]") && !close.IsSymbol(")"))
        {
            return Fail(close, $"Expected ']' (end included) or ')' (end excluded) after the range, but found {close.Shown}.");
        }

        _next++;
        return new RangeNode(value, low, high, lowIncluded, close.Text == "]");
    }

    private Node? Accesses(Node node)
    {
        var result = node;
        while (result is not null && (Current.IsSymbol(".") || Current.IsSymbol("[")))
        {
            result = Current.IsSymbol(".") ? Dotted(result) : Indexed(result);
        }

        return result;
    }

    private Node? Dotted(Node target)
    {
        _next++;
        var name = Current;
        if (name.Kind is not (TokenKind.Name or TokenKind.Keyword))
        {
            return Fail(name, $"Expected the name of a member after '.', but found {name.Shown}.");
        }

        _next++;
        return Grown(new MemberNode(target, name.Text), name);
    }

    private Node? Indexed(Node target)
    {
        var open = _tokens[_next++];
        var first = Current;
        if (Expression() is not { } index)
        {
            return null;
        }

        if (index is EqualNode or OrderNode or RangeNode or MemberOfNode or AndNode or OrNode)
        {
            return Fail(first, "Filters are not supported; between '[' and ']' stands a position, from 1, or negative from the end.");
        }

        return TakeSymbol("]", "the position") ? Grown(new IndexNode(target, index), open) : null;
    }

    private bool TakeComma()
    {
        if (!Current.IsSymbol(","))
        {
            return false;
        }

        _next++;
        return true;
    }
}
