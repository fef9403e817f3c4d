using System.Globalization;
using System.Text;

namespace Workflow.Abstractions.Expressions.Syntax;

internal sealed partial class Lexer
{
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

        return Fail(start, "The text is not closed; end it with a double quote, and write a double quote inside it as \\\".");
    }

    private bool ReadEscape(StringBuilder text)
    {
        var start = _position++;
        var c = _position < source.Length ? source[_position++] : '\0';
        if (c == 'u')
        {
            return ReadCodeUnit(text, start);
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
            return Fail(start, "Unknown escape; known are \\\" \\\\ \\/ \\' \\n \\r \\t \\b \\f and \\uXXXX.");
        }

        text.Append(plain);
        return true;
    }

    private bool ReadCodeUnit(StringBuilder text, int start)
    {
        if (_position + 4 > source.Length
            || !ushort.TryParse(source.AsSpan(_position, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var unit))
        {
            return Fail(start, "\\u takes four hexadecimal digits, e.g. \\u00e9.");
        }

        text.Append((char)unit);
        _position += 4;
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
                return Fail(start, $"The text has half a surrogate pair (U+{(int)text[i]:X4}); write both halves, or none.");
            }
        }

        return true;
    }
}
