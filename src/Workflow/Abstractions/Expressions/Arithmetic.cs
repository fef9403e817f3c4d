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
            return operation switch
            {
                '+' => Value.From(left + right),
                '-' => Value.From(left - right),
                '*' => Product(left, right),
                _ => NotLost(left / right, left),
            };
        }
        catch (OverflowException)
        {
            // The language has no infinity: out of range is null, as documented.
            return Value.Null;
        }
    }

    /// <summary>
    /// Whole exponents by repeated squaring, exact as far as decimal is; others through double, to about 15 digits.
    /// Null: zero to a negative power, a negative base to a fractional power, what is too large or rounds to zero.
    /// </summary>
    public static Value Power(decimal number, decimal exponent)
    {
        try
        {
            if (exponent == decimal.Truncate(exponent) && Math.Abs(exponent) <= int.MaxValue)
            {
                return exponent >= 0
                    ? NotLost(Whole(number, (uint)exponent), number)
                    : Apply('/', 1, Whole(number, (uint)-exponent));
            }

            return NotLost(FromDouble(Math.Pow((double)number, (double)exponent)), number);
        }
        catch (OverflowException)
        {
            return Value.Null;
        }
    }

    private static Value Product(decimal left, decimal right) =>
        right == 0 ? Value.From(0m) : NotLost(left * right, left);

    /// <summary>What has become zero by rounding alone is out of range too.</summary>
    private static Value NotLost(decimal result, decimal of) =>
        result == 0 && of != 0 ? Value.Null : Value.From(result);

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
    private static decimal FromDouble(double number) => (decimal)number;
}
