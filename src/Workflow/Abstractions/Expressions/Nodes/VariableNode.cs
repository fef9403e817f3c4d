namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class VariableNode(string name) : Node(1)
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) => variables.TryGetValue(name, out var value) ? value : Value.Null;
}
