using System.Collections.Frozen;

namespace Workflow.Abstractions.Expressions;

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

internal sealed class ConstantNode(Value value) : Node(1)
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) => value;
}

internal sealed class VariableNode(string name) : Node(1)
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) =>
        variables.TryGetValue(name, out var value) ? value : Value.Null;
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
