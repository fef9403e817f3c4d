namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class ContextNode(string[] names, Node[] values) : Node(Above(values))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var members = new Dictionary<string, Value>(names.Length, StringComparer.Ordinal);
        for (var i = 0; i < names.Length; i++)
        {
            members[names[i]] = values[i].Evaluate(variables);
        }

        return Value.From(members);
    }
}
