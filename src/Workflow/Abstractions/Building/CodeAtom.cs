namespace Workflow.Abstractions.Building;

internal sealed class CodeAtom(string text) : Code
{
    public override string Flat => text;
    public override void Break(CodeWriter writer, int indent) => writer.Append(text);
}
