namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Whether a list holds a value; of a single value of the same kind, whether it equals it; null in null.
/// </summary>
internal sealed class MemberOfNode(Node value, Node target) : Node(Above(value, target))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation)
    {
        var item = value.Evaluate(evaluation);
        var place = target.Evaluate(evaluation);
        return place.Kind switch
        {
            _ when !evaluation.TrySpend(Work.Search(place, item)) => Value.Null,
            ValueKind.Null => Value.Null,
            ValueKind.List => Value.From(Holds(place.AsList(), item)),
            _ => place.Kind == item.Kind || item.IsNull ? Value.From(place == item) : Value.Null,
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
