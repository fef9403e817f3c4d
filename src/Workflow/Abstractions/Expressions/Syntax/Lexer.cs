using System.Globalization;

namespace Workflow.Abstractions.Expressions.Syntax;

/// <summary>Cuts a source into tokens. The first error ends it.</summary>
internal sealed partial class Lexer(string source)
{
    private static readonly string[] Symbols =
        ["**", "!=", "<=", ">=", "..", "(", ")", "[", "]", "{", "}", ",", ":", ".", "+", "-", "*", "/", "=", "<", ">"];

    private readonly List<Token> _tokens = [];
    private int _position;

    public ExpressionError? Error { get; private set; }

    /// <summary>Every token, the last of kind End; null when <see cref="Error"/> is set.</summary>
    public List<Token>? Read()
    {
        SkipBlanks();
        if (_position < source.Length && source[_position] == '=')
        {
            _position++;
        }

        while (true)
        {
            SkipBlanks();
            if (_position == source.Length)
            {
                _tokens.Add(new Token(TokenKind.End, "", _position));
                return _tokens;
            }

            if (!ReadToken(source[_position]))
            {
                return null;
            }
        }
    }

    private void SkipBlanks()
    {
        while (_position < source.Length && char.IsWhiteSpace(source[_position]))
        {
            _position++;
        }
    }

    private bool ReadToken(char c) => c switch
    {
        '"' => ReadText(),
        '`' => ReadQuotedName(),
        _ when char.IsAsciiDigit(c) || (c == '.' && IsDigitAt(_position + 1)) => ReadNumber(),
        _ when Keywords.StartsName(c) => ReadName(),
        _ => ReadSymbol(),
    };

    private bool ReadSymbol()
    {
        foreach (var symbol in Symbols)
        {
            if (string.CompareOrdinal(source, _position, symbol, 0, symbol.Length) == 0)
            {
                if (symbol == "=" && _position + 1 < source.Length && source[_position + 1] == '=')
                {
                    return Fail(_position, "'==' is not an operator here; equality is written '='.");
                }

                _tokens.Add(new Token(TokenKind.Symbol, symbol, _position));
                _position += symbol.Length;
                return true;
            }
        }

        return Fail(_position, source[_position] switch
        {
            '\'' => "Texts are written in double quotes, not in single ones.",
            '!' => "'!' is not an operator here; write not(x), or != for unequal.",
            '&' => "'&' is not an operator here; write 'and'.",
            '|' => "'|' is not an operator here; write 'or'.",
            '%' => "'%' is not an operator here; the remainder of a by b is a - b * floor(a / b).",
            '?' => "'?' is not an operator here; write if a then b else c.",
            var c => $"The character '{Visible(c)}' is not part of the expression language.",
        });
    }

    private bool ReadName()
    {
        var start = _position;
        while (_position < source.Length && Keywords.ContinuesName(source[_position]))
        {
            _position++;
        }

        var name = source[start.._position];
        _tokens.Add(new Token(Keywords.Contains(name) ? TokenKind.Keyword : TokenKind.Name, name, start));
        return true;
    }

    private bool ReadQuotedName()
    {
        var start = _position;
        var end = source.IndexOf('`', start + 1);
        if (end < 0)
        {
            return Fail(start, "The quoted name is not closed; end it with a backtick.");
        }

        if (end == start + 1)
        {
            return Fail(start, "The quoted name is empty; write the variable's name between the backticks.");
        }

        _tokens.Add(new Token(TokenKind.Name, source[(start + 1)..end], start));
        _position = end + 1;
        return true;
    }

    private bool ReadNumber()
    {
        var start = _position;
        SkipDigits();
        if (_position < source.Length && source[_position] == '.' && IsDigitAt(_position + 1))
        {
            _position++;
            SkipDigits();
        }

        SkipExponent();
        if (_position < source.Length && Keywords.ContinuesName(source[_position]))
        {
            return Fail(_position, $"A number cannot be followed by '{Visible(source[_position])}'; put an operator or a blank and an operator between.");
        }

        var text = source[start.._position];
        if (!decimal.TryParse(text, NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent, CultureInfo.InvariantCulture, out var number))
        {
            return Fail(start, $"The number {text} is outside the range of a decimal (about 7.9E28).");
        }

        _tokens.Add(new Token(TokenKind.Number, text, start, Value.From(number)));
        return true;
    }

    private void SkipExponent()
    {
        if (_position >= source.Length || source[_position] is not ('e' or 'E'))
        {
            return;
        }

        var digits = _position + 1;
        if (digits < source.Length && source[digits] is '+' or '-')
        {
            digits++;
        }

        if (IsDigitAt(digits))
        {
            _position = digits;
            SkipDigits();
        }
    }

    private void SkipDigits()
    {
        while (IsDigitAt(_position))
        {
            _position++;
        }
    }

    private bool IsDigitAt(int position) => position < source.Length && char.IsAsciiDigit(source[position]);

    private bool Fail(int position, string message)
    {
        Error = new ExpressionError(message, position + 1, source);
        return false;
    }

    private static string Visible(char c) =>
        char.IsControl(c) || char.IsSurrogate(c) || char.GetUnicodeCategory(c) == UnicodeCategory.Format ? $"U+{(int)c:X4}" : c.ToString();
}
