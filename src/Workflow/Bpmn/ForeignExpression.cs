using Workflow.Abstractions.Definitions;

namespace Workflow.Bpmn;

/// <summary>An expression of another language in ours, or why it has none.</summary>
/// <param name="Text">The translation; null if there is an error.</param>
/// <param name="Offset">Where the problem is, in characters from the beginning.</param>
internal readonly record struct Translation(string? Text, string Problem, int Offset);

/// <summary>
/// Translates exactly the part of two languages that means the same here: literals, variables and their members,
/// comparisons, and, or, not, a choice by condition, sums, differences and products. Whatever else there is, is refused
/// with its place.
/// </summary>
internal sealed class ForeignExpression
{
    private const int MaxDepth = 40;

    // What is joined to a text is written four times, and so would be what it is made of in turn.
    private const int LongestJoined = 2_000;
    private static readonly HashSet<string> OurKeywords =
        ["true", "false", "null", "and", "or", "if", "then", "else", "in", "between", "not"];

    private static readonly HashSet<string> Words =
        ["and", "or", "not", "eq", "ne", "lt", "gt", "le", "ge", "empty", "div", "mod", "instanceof"];

    private readonly string _source;
    private readonly bool _isCSharp;
    private string? _problem;
    private int _problemAt;
    private int _at;
    private int _depth;

    private ForeignExpression(string source, ForeignLanguage language)
    {
        _source = source;
        _isCSharp = language == ForeignLanguage.CSharp;
    }

    public static Translation Translate(string source, ForeignLanguage language)
    {
        var reader = new ForeignExpression(source, language);
        var result = reader.Choice();
        reader.SkipBlanks();
        if (result is not null && reader._at < source.Length)
        {
            reader.Fail(reader._at, $"'{source[reader._at]}' is not translated here.");
        }

        return reader._problem is { } problem ? new(null, problem, reader._problemAt) : new(result!.Text, "", 0);
    }

    /// <summary>The name of a variable as an expression writes it.</summary>
    public static string Quoted(string name) => OurKeywords.Contains(name) ? $"`{name}`" : name;

    private Operand? Choice()
    {
        if (++_depth > MaxDepth)
        {
            return Fail(_at, $"The expression nests deeper than {MaxDepth} levels; split it over several variables.");
        }

        var condition = Chain(["||", "or"], "or", And);
        if (condition is not null && Take("?") is not null)
        {
            var whenTrue = Choice();
            if (whenTrue is null || Take(":") is null)
            {
                return whenTrue is null ? null : Fail(_at, "The choice has no ':'.");
            }

            var otherwise = Choice();
            condition = otherwise is null ? null
                : new($"(if {condition.Text} then {whenTrue.Text} else {otherwise.Text})",
                    whenTrue.Kind == otherwise.Kind ? whenTrue.Kind : OperandKind.Value);
        }

        _depth--;
        return condition;
    }

    private Operand? And() => Chain(["&&", "and"], "and", Equality);

    private Operand? Chain(string[] operators, string ours, Func<Operand?> next)
    {
        var left = next();
        while (left is not null && Take(operators) is not null)
        {
            left = next() is { } right ? new($"({left.Text} {ours} {right.Text})", OperandKind.Boolean) : null;
        }

        return left;
    }

    private Operand? Equality()
    {
        var left = Relation();
        while (left is not null && Take("==", "!=", "eq", "ne") is { } symbol)
        {
            var ours = symbol is "==" or "eq" ? "=" : "!=";
            left = Relation() is { } right
                ? new($"({Certain(left)} {ours} {Certain(right)})", OperandKind.Boolean)
                : null;
        }

        return left;
    }

    // A comparison with a variable that is null is false there and null here.
    private static string Certain(Operand operand) =>
        operand.Kind == OperandKind.Boolean && operand.Text is not ("true" or "false")
            ? $"coalesce({operand.Text}, false)"
            : operand.Text;

    private Operand? Relation()
    {
        var left = Sum();
        while (left is not null && Take("<=", ">=", "<", ">", "le", "ge", "lt", "gt") is { } symbol)
        {
            var ours = symbol switch { "le" => "<=", "ge" => ">=", "lt" => "<", "gt" => ">", _ => symbol };
            left = Sum() is { } right ? new($"({left.Text} {ours} {right.Text})", OperandKind.Boolean) : null;
        }

        return left;
    }

    private Operand? Sum()
    {
        var left = Product();
        while (left is not null && Take("+", "-") is { } symbol)
        {
            var at = _at - 1;
            if (Product() is not { } right)
            {
                return null;
            }

            left = symbol == "+"
                ? Added(left, right, at)
                : new($"({left.Text} - {right.Text})", OperandKind.Number);
        }

        return left;
    }

    private Operand? Added(Operand left, Operand right, int at)
    {
        if (left.Kind != OperandKind.Text && right.Kind != OperandKind.Text)
        {
            return _isCSharp || left.Kind == OperandKind.Number || right.Kind == OperandKind.Number
                ? new($"({left.Text} + {right.Text})", left.Kind == right.Kind ? left.Kind : OperandKind.Value)
                : Fail(at, "'+' adds numbers there, also those in texts, and joins texts here; write the sum in FEEL, "
                    + "e.g. = a + b.");
        }

        if (left.Text.Length + right.Text.Length > LongestJoined)
        {
            return Fail(at, "The text that is joined here is too long; split it over several variables.");
        }

        return _isCSharp
            ? new($"({Joined(left)} + {Joined(right)})", OperandKind.Text)
            : Fail(at, "'+' does not join texts there; write it in FEEL, e.g. = \"a\" + b.");
    }

    // C# joins anything to a text: nothing as no character, true as True.
    private static string Joined(Operand operand) => operand.Kind switch
    {
        OperandKind.Text => operand.Text,
        OperandKind.Number => $"string({operand.Text})",
        OperandKind.Boolean => $"(if {operand.Text} = true then \"True\" else \"False\")",
        _ => $"(if {operand.Text} = true then \"True\" else if {operand.Text} = false then \"False\" "
            + $"else coalesce(string({operand.Text}), \"\"))",
    };

    private Operand? Product()
    {
        var left = Negation();
        while (left is not null && Take("*", "/", "%", "div", "mod") is { } symbol)
        {
            var at = _at - symbol.Length;
            if (symbol is "%" or "mod" || (symbol == "/" && _isCSharp))
            {
                return Fail(at, symbol is "/"
                    ? "'/' divides whole numbers without a remainder there and exactly here; write it in FEEL: "
                        + "scriptFormat=\"feel\"."
                    : $"'{symbol}' has no operator here; the remainder of a by b is a - b * floor(a / b) in FEEL.");
            }

            var ours = symbol == "*" ? "*" : "/";
            left = Negation() is { } right ? new($"({left.Text} {ours} {right.Text})", OperandKind.Number) : null;
        }

        return left;
    }

    private Operand? Negation()
    {
        SkipBlanks();
        var at = _at;
        if (Take("!", "not", "-", "empty") is not { } symbol)
        {
            return Value();
        }

        if (symbol == "empty")
        {
            return Fail(
                at, "'empty' is not translated; compare with null, with \"\", or in FEEL with count(list) = 0.");
        }

        if (++_depth > MaxDepth)
        {
            return Fail(at, $"The expression nests deeper than {MaxDepth} levels; split it over several variables.");
        }

        var operand = Negation();
        _depth--;
        if (operand is null)
        {
            return null;
        }

        return symbol == "-"
            ? new($"(-{operand.Text})", OperandKind.Number)
            : new($"not({operand.Text} = true)", OperandKind.Boolean);
    }

    private Operand? Value()
    {
        SkipBlanks();
        if (_at == _source.Length)
        {
            return Fail(_at, "A value is missing at the end.");
        }

        var c = _source[_at];
        if (c == '(')
        {
            _at++;
            var inner = Choice();
            return inner is null || Take(")") is not null ? inner : Fail(_at, "')' is missing.");
        }

        if (c == '"' || (c == '\'' && !_isCSharp))
        {
            return TextLiteral(c);
        }

        if (char.IsAsciiDigit(c))
        {
            return NumberLiteral();
        }

        return StartsName(c) ? Variable() : Fail(_at, $"'{c}' is not translated here.");
    }

    private Operand? NumberLiteral()
    {
        var start = _at;
        while (_at < _source.Length && (char.IsAsciiDigit(_source[_at])
            || (_source[_at] == '.' && _at + 1 < _source.Length && char.IsAsciiDigit(_source[_at + 1]))))
        {
            _at++;
        }

        return _at < _source.Length && (ContinuesName(_source[_at]) || _source[_at] == '.')
            ? Fail(start, "Numbers are written with digits and a dot only, e.g. 1.5.")
            : new(_source[start.._at], OperandKind.Number);
    }

    private Operand? TextLiteral(char quote)
    {
        var start = _at++;
        var text = new StringBuilder();
        while (_at < _source.Length && _source[_at] != quote)
        {
            if (_source[_at] == '\\')
            {
                var escaped = ++_at < _source.Length ? _source[_at] : '\0';
                var plain = escaped switch
                {
                    '\\' or '"' or '\'' => escaped,
                    'n' when _isCSharp => '\n',
                    'r' when _isCSharp => '\r',
                    't' when _isCSharp => '\t',
                    _ => '\0',
                };
                if (plain == '\0')
                {
                    return Fail(_at - 1, "This escape is not translated; write the character itself.");
                }

                text.Append(plain);
            }
            else
            {
                text.Append(_source[_at]);
            }

            _at++;
        }

        if (_at++ >= _source.Length)
        {
            return Fail(start, "The text is not closed.");
        }

        return new(TemplateText.Quoted(text.ToString()), OperandKind.Text);
    }

    private Operand? Variable()
    {
        var start = _at;
        var name = Name();
        if (name is "true" or "false" or "null")
        {
            return new(name, name == "null" ? OperandKind.Value : OperandKind.Boolean);
        }

        if (_isCSharp && name == "_context")
        {
            if (Take(".") is null)
            {
                return Fail(start, "'_context' stands only before the name of a variable: _context.total.");
            }

            SkipBlanks();
            name = _at < _source.Length && StartsName(_source[_at]) ? Name() : "";
        }

        if (name.Length == 0
            || (_isCSharp ? name is "new" or "await" : name is "execution" or "task" || Words.Contains(name)))
        {
            return Fail(start, $"'{name}' is not translated; only variables are known here, by their names.");
        }

        var path = new StringBuilder(Quoted(name));
        while (true)
        {
            SkipBlanks();
            var next = _at < _source.Length ? _source[_at] : '\0';
            if (next == '(')
            {
                return Fail(start,
                    "Calls are not translated; compute the value in an activity or a script of assignments in FEEL.");
            }

            if (next == '.' && _at + 1 < _source.Length && StartsName(_source[_at + 1]))
            {
                _at++;
                path.Append('.').Append(Name());
            }
            else if (next is '[' or '.')
            {
                return Fail(_at, "Positions and quoted members are not translated; write them in FEEL, where positions "
                    + "count from 1.");
            }
            else
            {
                return new(path.ToString(), OperandKind.Value);
            }
        }
    }

    private string Name()
    {
        var start = _at;
        while (_at < _source.Length && ContinuesName(_source[_at]))
        {
            _at++;
        }

        return _source[start.._at];
    }

    private string? Take(params ReadOnlySpan<string> operators)
    {
        SkipBlanks();
        foreach (var symbol in operators)
        {
            var isWord = char.IsAsciiLetter(symbol[0]);
            var end = _at + symbol.Length;
            if ((isWord && _isCSharp) || string.CompareOrdinal(_source, _at, symbol, 0, symbol.Length) != 0
                || (isWord && end < _source.Length && ContinuesName(_source[end]))
                || (symbol is "!" or "<" or ">" && end < _source.Length
                    && (_source[end] == '=' || _source[end] == symbol[0]))
                || (symbol is "+" or "-" && end < _source.Length && _source[end] == symbol[0])
                || (symbol is "?" && end < _source.Length && _source[end] is '?' or '.' or '['))
            {
                continue;
            }

            _at = end;
            return symbol;
        }

        return null;
    }

    private void SkipBlanks()
    {
        while (_at < _source.Length && char.IsWhiteSpace(_source[_at]))
        {
            _at++;
        }
    }

    private Operand? Fail(int at, string problem)
    {
        if (_problem is null)
        {
            (_problem, _problemAt) = (problem, at);
        }

        return null;
    }

    private static bool StartsName(char c) => c == '_' || char.IsLetter(c);
    private static bool ContinuesName(char c) => c == '_' || char.IsLetterOrDigit(c);

    private enum OperandKind
    {
        Value,
        Boolean,
        Number,
        Text,
    }

    private sealed record Operand(string Text, OperandKind Kind);
}
