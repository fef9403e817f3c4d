namespace Workflow.Abstractions.Building;

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
