namespace Workflow.Abstractions.Expressions;

/// <summary>Three-valued conjunction: false wins over null, and what is not boolean counts as null. Stops at the first false.</summary>
internal sealed class AndNode(Node[] operands) : Node(Above(operands))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var unknown = false;
        foreach (var operand in operands)
        {
            var value = operand.Evaluate(evaluation);
            if (value.Kind != ValueKind.Boolean)
            {
                unknown = true;
            }
            else if (!value.AsBoolean())
            {
                return Value.From(false);
            }
        }

        return unknown ? Value.Null : Value.From(true);
    }
}

/// <summary>Three-valued disjunction: true wins over null, and what is not boolean counts as null. Stops at the first true.</summary>
internal sealed class OrNode(Node[] operands) : Node(Above(operands))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var unknown = false;
        foreach (var operand in operands)
        {
            var value = operand.Evaluate(evaluation);
            if (value.IsTrue)
            {
                return value;
            }

            unknown |= value.Kind != ValueKind.Boolean;
        }

        return unknown ? Value.Null : Value.From(false);
    }
}

/// <summary>if then else: only true takes the first branch; false, null and other kinds take the second. The other is not
/// evaluated.</summary>
internal sealed class ConditionalNode(Node condition, Node whenTrue, Node otherwise) : Node(Above(condition, whenTrue, otherwise))
{
    public override Value Evaluate(Evaluation evaluation) =>
        condition.Evaluate(evaluation).IsTrue ? whenTrue.Evaluate(evaluation) : otherwise.Evaluate(evaluation);
}

/// <summary>Equality. Anything compares with null; two values of different kinds, neither null, give null (FEEL).</summary>
internal sealed class EqualNode(Node left, Node right, bool wanted) : Node(Above(left, right))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var first = left.Evaluate(evaluation);
        var second = right.Evaluate(evaluation);
        return (first.Kind == second.Kind || first.IsNull || second.IsNull) && evaluation.TrySpend(Work.Compare(first, second))
            ? Value.From((first == second) == wanted)
            : Value.Null;
    }
}

internal enum Order
{
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// <summary>Order of two numbers, or of two texts by code unit; null for anything else.</summary>
internal sealed class OrderNode(Node left, Node right, Order order) : Node(Above(left, right))
{
    public override Value Evaluate(Evaluation evaluation) =>
        Compare(left.Evaluate(evaluation), right.Evaluate(evaluation), evaluation) is { } sign ? Value.From(Holds(sign)) : Value.Null;

    /// <summary>The same under a budget.</summary>
    public static int? Compare(Value left, Value right, Evaluation evaluation) =>
        evaluation.TrySpend(Work.Compare(left, right)) ? Compare(left, right) : null;

    /// <summary>Negative, zero or positive; null when the two have no order.</summary>
    public static int? Compare(Value left, Value right) => (left.Kind, right.Kind) switch
    {
        (ValueKind.Number, ValueKind.Number) => left.AsNumber().CompareTo(right.AsNumber()),
        (ValueKind.String, ValueKind.String) => string.CompareOrdinal(left.AsString(), right.AsString()),
        _ => null,
    };

    private bool Holds(int sign) => order switch
    {
        Order.Less => sign < 0,
        Order.LessOrEqual => sign <= 0,
        Order.Greater => sign > 0,
        _ => sign >= 0,
    };
}

/// <summary>Whether a value lies between two others; null when it has no order with one of them and does not miss the other.</summary>
internal sealed class RangeNode(Node value, Node low, Node high, bool lowIncluded, bool highIncluded) : Node(Above(value, low, high))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var item = value.Evaluate(evaluation);
        var above = Beyond(OrderNode.Compare(item, low.Evaluate(evaluation), evaluation), lowIncluded);
        var below = Beyond(OrderNode.Compare(high.Evaluate(evaluation), item, evaluation), highIncluded);
        return above == false || below == false ? Value.From(false) : above is null || below is null ? Value.Null : Value.From(true);
    }

    // Lifted comparison would turn null into false.
    private static bool? Beyond(int? sign, bool included) => sign is { } known ? known > 0 || (included && known == 0) : null;
}

/// <summary>Whether a list holds a value; of a single value, whether it equals it; null in null.</summary>
internal sealed class MemberOfNode(Node value, Node target) : Node(Above(value, target))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var item = value.Evaluate(evaluation);
        var place = target.Evaluate(evaluation);
        return place.Kind switch
        {
            _ when !evaluation.TrySpend(Work.Search(place, item)) => Value.Null,
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
