namespace Workflow.Abstractions.Building;

/// <summary>A piece of C#: on one line where that has room, else broken.</summary>
internal abstract class Code
{
    private const int Width = 120;
    protected const int Indent = 4;

    /// <summary>On one line; null where it never is.</summary>
    public abstract string? Flat { get; }

    /// <param name="indent">Where the line begins that the piece is on.</param>
    /// <param name="tail">Columns of what comes after it on its last line.</param>
    public void Write(CodeWriter writer, int indent, int tail)
    {
        if (Flat is { } flat && HasRoom(writer, flat, tail))
        {
            writer.Append(flat);
        }
        else
        {
            Break(writer, indent);
        }
    }

    public abstract void Break(CodeWriter writer, int indent);

    protected static bool HasRoom(CodeWriter writer, string text, int tail) => writer.Column + text.Length + tail <= Width;

    /// <summary>A value of a template.</summary>
    public static Code Of(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String => new CodeString(value.GetString()!),
        JsonValueKind.Number => new CodeAtom(Number(value.GetDecimal())),
        JsonValueKind.True => new CodeAtom("true"),
        JsonValueKind.False => new CodeAtom("false"),
        JsonValueKind.Array => new CodeCall("TemplateValue.List", value.EnumerateArray().Select(Of)),
        JsonValueKind.Object => new CodeCall("TemplateValue.Context", Members(value)),
        _ => new CodeAtom("TemplateValue.Null"),
    };

    /// <summary>The members of an object, each as a tuple.</summary>
    public static IEnumerable<Code> Members(JsonElement value) =>
        value.EnumerateObject().Select(member => new CodeCall("", [new CodeString(member.Name), Of(member.Value)]));

    public static string Number(decimal number)
    {
        var text = Value.TextOf(number);
        return decimal.IsInteger(number) && Math.Abs(number) <= int.MaxValue ? text : $"{text}m";
    }
}

internal sealed class CodeAtom(string text) : Code
{
    public override string Flat => text;
    public override void Break(CodeWriter writer, int indent) => writer.Append(text);
}

/// <summary>A text, which may become several that are added.</summary>
internal sealed class CodeString(string text) : Code
{
    private const int LongestPiece = 80;
    private string? _flat;

    public override string Flat => _flat ??= CodeLiteral.Of(text);

    public override void Break(CodeWriter writer, int indent)
    {
        var place = "";
        foreach (var piece in CodeLiteral.Pieces(text, LongestPiece))
        {
            if (place.Length > 0)
            {
                writer.NewLine(indent + Indent);
            }

            writer.Append($"{place}{CodeLiteral.Of(piece)}");
            place = "+ ";
        }
    }
}

/// <summary>A call with its arguments; without a name it is a tuple.</summary>
internal sealed class CodeCall(string name, IEnumerable<Code> arguments) : Code
{
    private readonly List<Code> _arguments = [.. arguments];
    private string? _flat;

    public CodeCall With(IEnumerable<Code> others) => new(name, [.. _arguments, .. others]);

    public override string? Flat => _flat ??= _arguments.TrueForAll(argument => argument.Flat is not null)
        ? $"{name}({string.Join(", ", _arguments.Select(argument => argument.Flat))})"
        : null;

    public override void Break(CodeWriter writer, int indent)
    {
        writer.Append($"{name}(");
        var others = _arguments.SkipLast(1).ToList();
        if (_arguments.Count > 0 && _arguments[^1] is CodeLambda lambda && others.TrueForAll(argument => argument.Flat is not null))
        {
            var leading = string.Concat(others.Select(argument => $"{argument.Flat}, "));
            if (HasRoom(writer, leading, lambda.Head.Length))
            {
                writer.Append(leading);
                lambda.Break(writer, indent);
                writer.Append(")");
                return;
            }
        }

        for (var i = 0; i < _arguments.Count; i++)
        {
            writer.NewLine(indent + Indent);
            _arguments[i].Write(writer, indent + Indent, 1);
            writer.Append(i + 1 < _arguments.Count ? "," : "");
        }

        writer.Append(")");
    }
}

/// <summary>A lambda that calls its builder.</summary>
/// <param name="longestFlat">How many calls may stand on one line.</param>
internal sealed class CodeLambda(string parameter, IReadOnlyList<Code> calls, int longestFlat) : Code
{
    // Compilers recurse into a chain of calls.
    private const int LongestChain = 40;

    public string Head => $"{parameter} => {parameter}";

    public override string? Flat => calls.Count <= longestFlat && calls.All(call => call.Flat is not null)
        ? $"{parameter} => {parameter}{string.Concat(calls.Select(call => call.Flat))}"
        : null;

    public override void Break(CodeWriter writer, int indent)
    {
        if (calls.Count <= LongestChain)
        {
            writer.Append(Head);
            Chain(writer, indent + Indent, calls);
            return;
        }

        writer.Append($"{parameter} =>");
        writer.NewLine(indent);
        writer.Append("{");
        foreach (var chunk in calls.Chunk(LongestChain))
        {
            writer.NewLine(indent + Indent);
            writer.Append(parameter);
            Chain(writer, indent + Indent + Indent, chunk);
            writer.Append(";");
        }

        writer.NewLine(indent);
        writer.Append("}");
    }

    private static void Chain(CodeWriter writer, int indent, IEnumerable<Code> calls)
    {
        foreach (var call in calls)
        {
            writer.NewLine(indent);
            call.Write(writer, indent, 2);
        }
    }
}

internal sealed class CodeWriter
{
    private readonly StringBuilder _text = new();

    public int Column { get; private set; }

    public void Append(string text)
    {
        _text.Append(text);
        Column += text.Length;
    }

    public void NewLine(int indent)
    {
        _text.Append('\n').Append(' ', indent);
        Column = indent;
    }

    public override string ToString() => _text.ToString();
}

internal static class CodeLiteral
{
    /// <summary>A text as a literal of C#: raw where quotes would need escapes; whatever does not print is an escape.</summary>
    public static string Of(string text)
    {
        if (IsRaw(text))
        {
            return $"\"\"\"{text}\"\"\"";
        }

        var literal = new StringBuilder(text.Length + 2).Append('"');
        for (var i = 0; i < text.Length; i++)
        {
            if (Rune.TryGetRuneAt(text, i, out var rune) && Prints(rune))
            {
                _ = rune.Value is '"' or '\\' ? literal.Append('\\').Append(text[i]) : literal.Append(text, i, rune.Utf16SequenceLength);
                i += rune.Utf16SequenceLength - 1;
                continue;
            }

            _ = text[i] switch
            {
                '\n' => literal.Append("\\n"),
                '\r' => literal.Append("\\r"),
                '\t' => literal.Append("\\t"),
                _ => literal.Append(CultureInfo.InvariantCulture, $"\\u{(int)text[i]:x4}"),
            };
        }

        return literal.Append('"').ToString();
    }

    /// <summary>The lines of a text, at least one, those that are too long cut after a blank; no surrogate pair is cut.</summary>
    public static IEnumerable<string> Pieces(string text, int longest)
    {
        var start = 0;
        do
        {
            var end = Math.Min(start + longest, text.Length);
            var line = text.IndexOf('\n', start, end - start);
            if (line >= 0)
            {
                end = line + 1;
            }
            else if (end < text.Length)
            {
                var blank = text.LastIndexOf(' ', end - 1, end - start);
                end = blank >= 0 ? blank + 1 : char.IsLowSurrogate(text[end]) ? end - 1 : end;
            }

            yield return text[start..end];
            start = end;
        }
        while (start < text.Length);
    }

    private static bool IsRaw(string text)
    {
        if (!text.AsSpan().ContainsAny('"', '\\') || text[0] == '"' || text[^1] == '"' || text.Contains("\"\"\"", StringComparison.Ordinal))
        {
            return false;
        }

        for (var i = 0; i < text.Length; i++)
        {
            if (!Rune.TryGetRuneAt(text, i, out var rune) || !Prints(rune))
            {
                return false;
            }

            i += rune.Utf16SequenceLength - 1;
        }

        return true;
    }

    private static bool Prints(Rune rune) => rune.Value == ' ' || Rune.GetUnicodeCategory(rune) is UnicodeCategory.UppercaseLetter
        or UnicodeCategory.LowercaseLetter or UnicodeCategory.TitlecaseLetter or UnicodeCategory.ModifierLetter
        or UnicodeCategory.OtherLetter or UnicodeCategory.DecimalDigitNumber or UnicodeCategory.LetterNumber or UnicodeCategory.OtherNumber
        or UnicodeCategory.ConnectorPunctuation or UnicodeCategory.DashPunctuation or UnicodeCategory.OpenPunctuation
        or UnicodeCategory.ClosePunctuation or UnicodeCategory.InitialQuotePunctuation or UnicodeCategory.FinalQuotePunctuation
        or UnicodeCategory.OtherPunctuation or UnicodeCategory.MathSymbol or UnicodeCategory.CurrencySymbol
        or UnicodeCategory.ModifierSymbol or UnicodeCategory.OtherSymbol;
}
