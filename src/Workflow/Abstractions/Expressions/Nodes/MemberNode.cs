namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>A member of a context; of a list, the members of its items (the projection of FEEL); of anything else, null.</summary>
internal sealed class MemberNode(Node target, string name) : Node(Above(target))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var value = target.Evaluate(variables);
        return value.Kind == ValueKind.List ? Project(value.AsList()) : Of(value);
    }

    private Value Of(Value value) => value.Kind == ValueKind.Context && value.AsContext().TryGetValue(name, out var member) ? member : Value.Null;

    private Value Project(IReadOnlyList<Value> items)
    {
        var members = new Value[items.Count];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = Of(items[i]);
        }

        return Value.From(members);
    }
}
