namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Functions of texts. Positions and lengths count code points, as in FEEL, so that no surrogate pair is cut. Other
/// kinds give null.
/// </summary>
internal static class Texts
{
    private const int LongestPlainPart = 32;

    public static Value Upper(Value value) =>
        value.Kind == ValueKind.String ? Value.From(value.AsString().ToUpperInvariant()) : Value.Null;
    public static Value Lower(Value value) =>
        value.Kind == ValueKind.String ? Value.From(value.AsString().ToLowerInvariant()) : Value.Null;

    public static Value Length(Value value) =>
        value.Kind == ValueKind.String ? Value.From(CodePoints(value.AsString())) : Value.Null;

    public static Value Contains(Value value, Value part) =>
        Both(value, part) ? Value.From(Contains(value.AsString(), part.AsString())) : Value.Null;

    public static Value StartsWith(Value value, Value part) =>
        Both(value, part)
            ? Value.From(value.AsString().StartsWith(part.AsString(), StringComparison.Ordinal))
            : Value.Null;

    public static Value EndsWith(Value value, Value part) =>
        Both(value, part)
            ? Value.From(value.AsString().EndsWith(part.AsString(), StringComparison.Ordinal))
            : Value.Null;

    public static Value SubstringFrom(Value value, Value start) =>
        Substring(value, start, Value.From((decimal)int.MaxValue));

    /// <summary>
    /// From a position (1 is the first, -1 the last) that the text has, else null; at most so many code points,
    /// decimals left out. Less than one gives null.
    /// </summary>
    public static Value Substring(Value value, Value start, Value length)
    {
        if (value.Kind != ValueKind.String || Whole(start) is not { } from || length.Kind != ValueKind.Number)
        {
            return Value.Null;
        }

        var text = value.AsString();
        var count = CodePoints(text);
        var most = decimal.Truncate(length.AsNumber());
        if (from == 0 || Math.Abs((long)from) > count || most < 1)
        {
            return Value.Null;
        }

        var first = from > 0 ? from - 1L : count + from;
        var last = (long)Math.Min(count, first + most);
        return Value.From(text[Offset(text, count, first)..Offset(text, count, last)]);
    }

    /// <summary>All texts joined, or all lists; anything else among them gives null.</summary>
    public static Value Concat(IReadOnlyList<Value> items)
    {
        if (items.Count > 0 && items.All(item => item.Kind == ValueKind.List))
        {
            return Joined(items);
        }

        return items.All(item => item.Kind == ValueKind.String)
            && items.Sum(item => (long)item.AsString().Length) <= ExpressionCompiler.MaxTextLength
            ? Value.From(string.Concat(items.Select(item => item.AsString())))
            : Value.Null;
    }

    // Weighed before it is built.
    private static Value Joined(IReadOnlyList<Value> lists) =>
        lists.Sum(list => (long)list.Weight) > ExpressionCompiler.MaxWeight
        ? Value.Null
        : Value.From(Copied(lists));

    private static Value[] Copied(IReadOnlyList<Value> lists)
    {
        var items = new Value[lists.Sum(list => list.AsList().Count)];
        var end = 0;
        foreach (var list in lists)
        {
            ((ICollection<Value>)list.AsList()).CopyTo(items, end);
            end += list.AsList().Count;
        }

        return items;
    }

    public static Value Join(string left, string right) =>
        left.Length + right.Length <= ExpressionCompiler.MaxTextLength ? Value.From(left + right) : Value.Null;

    /// <summary>
    /// The text of a value: numbers without exponent and trailing zeros, lists and contexts as JSON without blanks,
    /// null stays null.
    /// </summary>
    public static Value From(Value value)
    {
        if (value.Weight > ExpressionCompiler.MaxWeight || value.Depth > ExpressionCompiler.MaxValueDepth)
        {
            return Value.Null;
        }

        var text = value.Kind switch
        {
            ValueKind.Null => null,
            ValueKind.String => value.AsString(),
            ValueKind.Boolean => value.AsBoolean() ? "true" : "false",
            ValueKind.Number => Value.TextOf(value.AsNumber()),
            _ => value.ToString(),
        };
        return text is { Length: > ExpressionCompiler.MaxTextLength } ? Value.Null : Value.From(text);
    }

    /// <summary>
    /// Knuth, Morris and Pratt where the part is long: the library's search takes the product of both lengths at worst.
    /// </summary>
    private static bool Contains(string text, string part)
    {
        if (part.Length <= LongestPlainPart || part.Length > text.Length)
        {
            return text.Contains(part, StringComparison.Ordinal);
        }

        // How much of the part is matched still when the next unit does not fit.
        var fallback = new int[part.Length];
        for (int i = 1, matched = 0; i < part.Length; i++)
        {
            matched = Next(part, fallback, matched, part[i]);
            fallback[i] = matched;
        }

        for (int i = 0, matched = 0; i < text.Length; i++)
        {
            matched = Next(part, fallback, matched, text[i]);
            if (matched == part.Length)
            {
                return true;
            }
        }

        return false;

        static int Next(string part, int[] fallback, int matched, char unit)
        {
            while (matched > 0 && part[matched] != unit)
            {
                matched = fallback[matched - 1];
            }

            return part[matched] == unit ? matched + 1 : 0;
        }
    }

    /// <summary>
    /// Negative, zero or positive: by code point, where the order of UTF-16 units would put U+1F600 before U+FF01.
    /// </summary>
    public static int Compare(string left, string right)
    {
        var at = left.AsSpan().CommonPrefixLength(right);
        return at == left.Length || at == right.Length
            ? left.Length.CompareTo(right.Length)
            : Rank(left[at]).CompareTo(Rank(right[at]));

        static int Rank(char unit) => char.IsSurrogate(unit) ? unit + char.MaxValue : unit;
    }

    private static bool Both(Value left, Value right) =>
        left.Kind == ValueKind.String && right.Kind == ValueKind.String;

    private static int? Whole(Value value) =>
        value.Kind == ValueKind.Number && value.AsNumber() is >= int.MinValue and <= int.MaxValue
        && value.AsNumber() == decimal.Truncate(value.AsNumber())
            ? (int)value.AsNumber()
            : null;

    private static int CodePoints(string text)
    {
        var count = text.Length;
        for (var i = 1; i < text.Length; i++)
        {
            if (char.IsSurrogatePair(text[i - 1], text[i]))
            {
                count--;
            }
        }

        return count;
    }

    private static int Offset(string text, int count, long codePoint)
    {
        if (count == text.Length)
        {
            return (int)codePoint;
        }

        var offset = 0;
        for (; codePoint > 0; codePoint--)
        {
            offset += offset + 1 < text.Length && char.IsSurrogatePair(text[offset], text[offset + 1]) ? 2 : 1;
        }

        return offset;
    }
}
