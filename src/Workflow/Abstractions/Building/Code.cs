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

    protected static bool HasRoom(CodeWriter writer, string text, int tail) =>
        writer.Column + text.Length + tail <= Width;

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
