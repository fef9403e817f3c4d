namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class NegateNode(Node operand) : Node(Above(operand))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var value = operand.Evaluate(variables);
        return value.Kind == ValueKind.Number ? Value.From(-value.AsNumber()) : Value.Null;
    }
}
