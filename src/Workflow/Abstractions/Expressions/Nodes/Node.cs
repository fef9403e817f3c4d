namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>A node of a compiled expression. Immutable; evaluation never throws.</summary>
/// <param name="height">One more than the highest child.</param>
internal abstract class Node(int height)
{
    public int Height { get; } = height;

    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables);

    protected static int Above(params ReadOnlySpan<Node> children)
    {
        var highest = 0;
        foreach (var child in children)
        {
            highest = Math.Max(highest, child.Height);
        }

        return highest + 1;
    }
}
