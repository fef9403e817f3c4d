namespace Workflow.Abstractions.Expressions;

/// <summary>Functions over many values.</summary>
internal static class Aggregates
{
    /// <summary>
    /// The least (sign -1) or greatest (sign 1) of numbers or of texts; null when there are none or two have no order.
    /// </summary>
    public static Value Extreme(IReadOnlyList<Value> items, int sign)
    {
        if (items.Count == 0 || items[0].Kind is not (ValueKind.Number or ValueKind.String))
        {
            return Value.Null;
        }

        var best = items[0];
        for (var i = 1; i < items.Count; i++)
        {
            if (OrderNode.Compare(items[i], best) is not { } order)
            {
                return Value.Null;
            }

            best = Math.Sign(order) == sign ? items[i] : best;
        }

        return best;
    }

    /// <summary>The sum; null when there is nothing to add, or something that is not a number.</summary>
    public static Value Sum(IReadOnlyList<Value> items)
    {
        if (items.Count == 0)
        {
            return Value.Null;
        }

        try
        {
            var sum = 0m;
            foreach (ref readonly var item in ((Value[])items).AsSpan())
            {
                if (item.Kind != ValueKind.Number)
                {
                    return Value.Null;
                }

                sum += item.AsNumber();
            }

            return Value.From(sum);
        }
        catch (OverflowException)
        {
            // Out of range is null here too.
            return Value.Null;
        }
    }
}
