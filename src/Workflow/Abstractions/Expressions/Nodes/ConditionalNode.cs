namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>if then else: only true takes the first branch; false, null and other kinds take the second. The other is not evaluated.</summary>
internal sealed class ConditionalNode(Node condition, Node whenTrue, Node otherwise) : Node(Above(condition, whenTrue, otherwise))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) =>
        condition.Evaluate(variables).IsTrue ? whenTrue.Evaluate(variables) : otherwise.Evaluate(variables);
}
