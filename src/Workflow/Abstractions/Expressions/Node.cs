using System.Collections.Frozen;

namespace Workflow.Abstractions.Expressions;

/// <summary>A node of a compiled expression. Immutable; evaluation never throws.</summary>
internal abstract class Node(Shape shape)
{
    /// <summary>One more than the highest child.</summary>
    public int Height => shape.Height;

    /// <summary>Units of work that an evaluation takes at most, whatever the operands: this node's and those of its children.</summary>
    public int Cost => shape.Cost;

    public abstract Value Evaluate(Evaluation evaluation);

    protected static Shape Above(params ReadOnlySpan<Node> children) => Above(1, children);

    /// <param name="cost">Of the node itself.</param>
    protected static Shape Above(int cost, params ReadOnlySpan<Node> children)
    {
        var highest = 0;
        foreach (var child in children)
        {
            highest = Math.Max(highest, child.Height);
            cost += child.Cost;
        }

        return new Shape(highest + 1, cost);
    }
}

/// <summary>How high a tree of nodes is, and what it costs.</summary>
internal readonly record struct Shape(int Height, int Cost);

internal sealed class ConstantNode(Value value) : Node(Above())
{
    public override Value Evaluate(Evaluation evaluation) => value;
}

internal sealed class VariableNode(string name) : Node(Above())
{
    public override Value Evaluate(Evaluation evaluation) =>
        evaluation.Variables.TryGetValue(name, out var value) ? value : Value.Null;
}

/// <summary>Makes lists and contexts within the limits; past them, null. A loop such as x = [x, x] must not become memory or
/// stack.</summary>
internal static class Composite
{
    public static Value Of(Value[] items) => Limited(Value.From(items));
    public static Value Of(Dictionary<string, Value> members) => Limited(Value.From(members));

    private static Value Limited(Value value) =>
        value.Weight > ExpressionCompiler.MaxWeight || value.Depth > ExpressionCompiler.MaxValueDepth ? Value.Null : value;
}

internal static class NoVariables
{
    public static readonly IReadOnlyDictionary<string, Value> Instance = FrozenDictionary<string, Value>.Empty;
}
