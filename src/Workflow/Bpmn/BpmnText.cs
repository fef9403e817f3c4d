namespace Workflow.Bpmn;

/// <summary>A text of the file with the place at which it begins.</summary>
internal sealed record BpmnText(string Value, int Line, int Column)
{
    /// <summary>
    /// The place of a character of the text; approximate behind characters that XML writes as entities.
    /// </summary>
    public (int Line, int Column) At(int offset)
    {
        var before = Value.AsSpan(0, Math.Clamp(offset, 0, Value.Length));
        var lines = before.Count('\n');
        return lines == 0 ? (Line, Column + before.Length) : (Line + lines, before.Length - before.LastIndexOf('\n'));
    }
}
