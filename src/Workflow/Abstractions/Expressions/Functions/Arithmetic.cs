namespace Workflow.Abstractions.Expressions.Functions;

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
    /// Whole exponents by repeated squaring, exact as far as decimal is; others through double, to about 15 digits. Null: zero to a negative power,
    /// a negative base to a fractional power, overflow.
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
