namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>Whether a list holds a value; of a single value, whether it equals it; null in null.</summary>
internal sealed class MemberOfNode(Node value, Node target) : Node(Above(value, target))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var item = value.Evaluate(variables);
        var place = target.Evaluate(variables);
        return place.Kind switch
        {
            ValueKind.Null => Value.Null,
            ValueKind.List => Value.From(Holds(place.AsList(), item)),
            _ => Value.From(place == item),
        };
    }

    public static bool Holds(IReadOnlyList<Value> list, Value item)
    {
        for (var i = 0; i < list.Count; i++)
        {
            if (list[i] == item)
            {
                return true;
            }
        }

        return false;
    }
}
