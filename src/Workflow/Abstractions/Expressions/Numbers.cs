namespace Workflow.Abstractions.Expressions;

/// <summary>Functions of one number. A value of another kind gives null.</summary>
internal static class Numbers
{
    public static Value Abs(Value value) =>
        value.Kind == ValueKind.Number ? Value.From(Math.Abs(value.AsNumber())) : Value.Null;
    public static Value Floor(Value value) =>
        value.Kind == ValueKind.Number ? Value.From(decimal.Floor(value.AsNumber())) : Value.Null;
    public static Value Ceiling(Value value) =>
        value.Kind == ValueKind.Number ? Value.From(decimal.Ceiling(value.AsNumber())) : Value.Null;

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

    /// <summary>
    /// Reads a number from a text without blanks or group separators; null when it is none that a decimal holds
    /// exactly.
    /// </summary>
    public static Value Parse(Value value) => value.Kind switch
    {
        ValueKind.Number => value,
        ValueKind.String when ExactNumber.TryParse(value.AsString(), out var number) => Value.From(number),
        _ => Value.Null,
    };
}
