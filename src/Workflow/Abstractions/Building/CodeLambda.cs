namespace Workflow.Abstractions.Building;

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
