namespace Workflow.Abstractions.Exceptions;

/// <summary>A JSON text has a number that a <see cref="Value"/> does not hold exactly.</summary>
/// <param name="number">The number as it is written.</param>
public sealed class NumberRangeException(string number)
    : JsonException(ExactNumber.Problem(number, "send it as a text, or rounded"))
{
    public string Number { get; } = number;
}
