namespace Workflow.Abstractions.Expressions;

/// <summary>Cuts a source into tokens. The first error ends it.</summary>
internal sealed class Lexer(string source)
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
        if (source[_position] == '/' && _position + 1 < source.Length && source[_position + 1] is '/' or '*')
        {
            return Fail(_position, "Comments are not part of the expression language; remove it.");
        }

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
            '@' => "Dates, times and durations have no literals here; write them as texts, e.g. \"PT5M\".",
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
            return Fail(_position,
                $"A number cannot be followed by '{Visible(source[_position])}'; put an operator or a blank and an "
                    + "operator between.");
        }

        var text = source[start.._position];
        if (!ExactNumber.TryParse(text, out var number))
        {
            return Fail(start, ExactNumber.Problem(text, "round it"));
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
        char.IsControl(c) || char.IsSurrogate(c) || char.GetUnicodeCategory(c) == UnicodeCategory.Format
            ? $"U+{(int)c:X4}"
            : c.ToString();

    private bool ReadText()
    {
        var start = _position++;
        var text = new StringBuilder();
        while (_position < source.Length)
        {
            var c = source[_position];
            if (c == '"')
            {
                _position++;
                _tokens.Add(new Token(TokenKind.String, source[start.._position], start, Value.From(text.ToString())));
                return IsWellFormed(text, start);
            }

            if (c == '\\')
            {
                if (!ReadEscape(text))
                {
                    return false;
                }

                continue;
            }

            text.Append(c);
            _position++;
        }

        return Fail(
            start, "The text is not closed; end it with a double quote, and write a double quote inside it as \\\".");
    }

    private bool ReadEscape(StringBuilder text)
    {
        var start = _position++;
        var c = _position < source.Length ? source[_position++] : '\0';
        if (c == 'u')
        {
            return ReadCodeUnit(text, start);
        }

        if (c == 'U')
        {
            return ReadCodePoint(text, start);
        }

        var plain = c switch
        {
            '"' or '\\' or '/' or '\'' => c,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\b',
            'f' => '\f',
            _ => '\0',
        };
        if (plain == '\0')
        {
            return Fail(
                start, "Unknown escape; known are \\\" \\\\ \\/ \\' \\n \\r \\t \\b \\f, \\uXXXX and \\UXXXXXX.");
        }

        text.Append(plain);
        return true;
    }

    private bool ReadCodeUnit(StringBuilder text, int start)
    {
        if (_position + 4 > source.Length
            || !ushort.TryParse(source.AsSpan(_position, 4), NumberStyles.AllowHexSpecifier,
                CultureInfo.InvariantCulture, out var unit))
        {
            return Fail(start, "\\u takes four hexadecimal digits, e.g. \\u00e9.");
        }

        text.Append((char)unit);
        _position += 4;
        return true;
    }

    private bool ReadCodePoint(StringBuilder text, int start)
    {
        if (_position + 6 > source.Length
            || !int.TryParse(source.AsSpan(_position, 6), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
                out var point)
            || !Rune.TryCreate(point, out var character))
        {
            return Fail(start, "\\U takes the six hexadecimal digits of a character, e.g. \\U01F40E.");
        }

        text.Append(character.ToString());
        _position += 6;
        return true;
    }

    // Half a surrogate pair cannot be written as JSON, so it must not get into a variable.
    private bool IsWellFormed(StringBuilder text, int start)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsHighSurrogate(text[i]) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]))
            {
                i++;
            }
            else if (char.IsSurrogate(text[i]))
            {
                return Fail(
                    start, $"The text has half a surrogate pair (U+{(int)text[i]:X4}); write both halves, or none.");
            }
        }

        return true;
    }
}
