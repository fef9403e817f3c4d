namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>Equality. Anything compares with null; two values of different kinds, neither null, give null (FEEL).</summary>
internal sealed class EqualNode(Node left, Node right, bool wanted) : Node(Above(left, right))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var first = left.Evaluate(variables);
        var second = right.Evaluate(variables);
        return first.Kind == second.Kind || first.IsNull || second.IsNull ? Value.From((first == second) == wanted) : Value.Null;
    }
}
