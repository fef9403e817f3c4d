using System.Buffers;

namespace Workflow.Abstractions;

/// <summary>
/// Values as JSON for people and for expressions: only what JSON itself demands is escaped. The writers of the library
/// also escape for web pages, and always what lies beyond the first 65,536 characters of Unicode.
/// </summary>
internal sealed class ValueText
{
    private const int LargestFirst = 65_536;

    private static readonly SearchValues<char> Special = SearchValues.Create(
        ['"', '\\', .. Enumerable.Range(0, 0x20).Concat(Enumerable.Range(0xD800, 0x800)).Select(code => (char)code)]);

    private readonly StringBuilder _text;
    private readonly bool _isIndented;

    private ValueText(int weight, bool isIndented) =>
        (_text, _isIndented) = (new StringBuilder(Math.Min(weight, LargestFirst)), isIndented);

    public static string Of(Value value, bool isIndented)
    {
        var text = new ValueText(value.Weight, isIndented);
        text.Append(value, 0);
        return text._text.ToString();
    }

    private void Append(Value value, int level)
    {
        switch (value.Kind)
        {
            case ValueKind.Boolean:
                _text.Append(value.AsBoolean() ? "true" : "false");
                break;
            case ValueKind.Number:
                _text.Append(CultureInfo.InvariantCulture, $"{value.AsNumber()}");
                break;
            case ValueKind.String:
                AppendText(value.AsString());
                break;
            case ValueKind.List:
                AppendItems(value.AsList(), level);
                break;
            case ValueKind.Context:
                AppendMembers(value.AsContext(), level);
                break;
            default:
                _text.Append("null");
                break;
        }
    }

    private void AppendItems(IReadOnlyList<Value> items, int level)
    {
        _text.Append('[');
        for (var i = 0; i < items.Count; i++)
        {
            Separate(i, level + 1);
            Append(items[i], level + 1);
        }

        Close(']', items.Count, level);
    }

    private void AppendMembers(IReadOnlyDictionary<string, Value> members, int level)
    {
        _text.Append('{');
        var count = 0;
        foreach (var (name, member) in new ContextMembers(members))
        {
            Separate(count++, level + 1);
            AppendText(name);
            _text.Append(_isIndented ? ": " : ":");
            Append(member, level + 1);
        }

        Close('}', count, level);
    }

    private void Separate(int before, int level)
    {
        if (before > 0)
        {
            _text.Append(',');
        }

        BreakLine(level);
    }

    private void Close(char bracket, int count, int level)
    {
        if (count > 0)
        {
            BreakLine(level);
        }

        _text.Append(bracket);
    }

    private void BreakLine(int level)
    {
        if (_isIndented)
        {
            _text.Append('\n').Append(' ', 2 * level);
        }
    }

    private void AppendText(ReadOnlySpan<char> text)
    {
        _text.Append('"');
        for (var at = text.IndexOfAny(Special); at >= 0; at = text.IndexOfAny(Special))
        {
            var isPair = at + 1 < text.Length && char.IsSurrogatePair(text[at], text[at + 1]);
            _text.Append(text[..at]);
            if (isPair)
            {
                _text.Append(text.Slice(at, 2));
            }
            else
            {
                AppendSpecial(text[at]);
            }

            text = text[(at + (isPair ? 2 : 1))..];
        }

        _text.Append(text).Append('"');
    }

    private void AppendSpecial(char c) => _ = c switch
    {
        '"' => _text.Append("\\\""),
        '\\' => _text.Append("\\\\"),
        '\n' => _text.Append("\\n"),
        '\r' => _text.Append("\\r"),
        '\t' => _text.Append("\\t"),
        '\b' => _text.Append("\\b"),
        '\f' => _text.Append("\\f"),
        < ' ' => _text.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}"),

        // Half a surrogate pair is no character.
        _ => _text.Append('\uFFFD'),
    };
}
