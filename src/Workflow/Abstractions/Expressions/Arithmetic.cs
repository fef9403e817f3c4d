namespace Workflow.Abstractions.Expressions;

/// <summary>Decimal arithmetic in which what has no result is null.</summary>
internal static class Arithmetic
{
    public static Value Apply(char operation, decimal left, decimal right)
    {
        if (operation == '/' && right == 0)
        {
            return Value.Null;
        }

        try
        {
            return Value.From(operation switch
            {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ => left / right,
            });
        }
        catch (OverflowException)
        {
            // The language has no infinity: out of range is null, as documented.
            return Value.Null;
        }
    }

    /// <summary>
    /// Whole exponents by repeated squaring, exact as far as decimal is; others through double, to about 15 digits. Null: zero to a
    /// negative power, a negative base to a fractional power, overflow.
    /// </summary>
    public static Value Power(decimal number, decimal exponent)
    {
        try
        {
            if (exponent == decimal.Truncate(exponent) && Math.Abs(exponent) <= int.MaxValue)
            {
                return exponent >= 0 ? Value.From(Whole(number, (uint)exponent)) : Apply('/', 1, Whole(number, (uint)-exponent));
            }

            return FromDouble(Math.Pow((double)number, (double)exponent));
        }
        catch (OverflowException)
        {
            return Value.Null;
        }
    }

    private static decimal Whole(decimal number, uint exponent)
    {
        var result = 1m;
        for (var square = number; ; square *= square)
        {
            if ((exponent & 1) != 0)
            {
                result *= square;
            }

            exponent >>= 1;
            if (exponent == 0)
            {
                return result;
            }
        }
    }

    // The conversion to decimal throws for NaN, infinity and what is out of range.
    private static Value FromDouble(double number) => Value.From((decimal)number);
}

/// <summary>Functions of one number. A value of another kind gives null.</summary>
internal static class Numbers
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    public static Value Abs(Value value) => value.Kind == ValueKind.Number ? Value.From(Math.Abs(value.AsNumber())) : Value.Null;
    public static Value Floor(Value value) => value.Kind == ValueKind.Number ? Value.From(decimal.Floor(value.AsNumber())) : Value.Null;
    public static Value Ceiling(Value value) => value.Kind == ValueKind.Number ? Value.From(decimal.Ceiling(value.AsNumber())) : Value.Null;

    /// <summary>Rounds half away from zero to 0 to 28 decimals.</summary>
    public static Value Round(Value value, Value decimals)
    {
        if (value.Kind != ValueKind.Number || decimals.Kind != ValueKind.Number)
        {
            return Value.Null;
        }

        var places = decimals.AsNumber();
        return places is >= 0 and <= 28 && places == decimal.Truncate(places)
            ? Value.From(decimal.Round(value.AsNumber(), (int)places, MidpointRounding.AwayFromZero))
            : Value.Null;
    }

    /// <summary>Reads a number from a text without blanks or group separators; null when it is none.</summary>
    public static Value Parse(Value value) => value.Kind switch
    {
        ValueKind.Number => value,
        ValueKind.String when decimal.TryParse(value.AsString(), Style, CultureInfo.InvariantCulture, out var number) => Value.From(number),
        _ => Value.Null,
    };
}

/// <summary>Functions over many values.</summary>
internal static class Aggregates
{
    /// <summary>The least (sign -1) or greatest (sign 1) of numbers or of texts; null when there are none or two have no order.</summary>
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
