namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A member of a context; of a list, the members of its items (the projection of FEEL); of anything else, null.
/// </summary>
internal sealed class MemberNode(Node target, string name) : Node(Above(target))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = target.Evaluate(evaluation);
        if (value.Kind != ValueKind.List)
        {
            return Of(value);
        }

        return evaluation.TrySpend(2L * value.AsList().Count) ? Project(value.AsList()) : Value.Null;
    }

    private Value Of(Value value) =>
        value.Kind == ValueKind.Context && value.AsContext().TryGetValue(name, out var member) ? member : Value.Null;

    private Value Project(IReadOnlyList<Value> items)
    {
        var members = new Value[items.Count];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = Of(items[i]);
        }

        return Composite.Of(members);
    }
}
