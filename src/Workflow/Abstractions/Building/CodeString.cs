namespace Workflow.Abstractions.Building;

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
