namespace Workflow.Abstractions.Expressions;

/// <summary>A node of a compiled expression. Immutable; evaluation never throws.</summary>
internal abstract class Node(Shape shape)
{
    /// <summary>One more than the highest child.</summary>
    public int Height => shape.Height;

    /// <summary>
    /// Units of work that an evaluation takes at most, whatever the operands: this node's and those of its children.
    /// </summary>
    public int Cost => shape.Cost;

    /// <summary>Whether it gives booleans, so that between brackets it filters.</summary>
    public virtual bool IsTest => false;

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
