namespace Workflow.Abstractions.Expressions;

/// <summary>Why a text is not an expression.</summary>
/// <param name="Message">What is wrong, with the value and the remedy.</param>
/// <param name="Column">
/// Where, from 1, counted in <paramref name="Source"/> as it was given (leading <c>=</c> and blanks included), in
/// UTF-16 units.
/// </param>
/// <param name="Source">The text as it was given.</param>
public sealed record ExpressionError(string Message, int Column, string Source);
