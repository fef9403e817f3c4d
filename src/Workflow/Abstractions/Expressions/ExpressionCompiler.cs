using System.Diagnostics.CodeAnalysis;

namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Compiles the expression language: a subset of FEEL (DMN 1.4, chapter 10) over <see cref="Value"/>. The README of
/// this folder lists it. What cannot be parsed, names an unknown function or passes a wrong number of arguments is
/// refused here; at run time an expression never throws: a missing variable or member, an operand of the wrong kind, a
/// division by zero, a result outside the range of decimal and a value longer, heavier or deeper than the limits below
/// all give null.
/// </summary>
public static class ExpressionCompiler
{
    /// <summary>The longest source that is accepted, in UTF-16 units.</summary>
    public const int MaxLength = 4096;

    /// <summary>
    /// How deep parentheses, lists, contexts, calls, conditions and accesses may nest: hostile input must not exhaust
    /// the stack.
    /// </summary>
    public const int MaxDepth = 100;

    /// <summary>
    /// The longest text an expression can make, in UTF-16 units; a longer one becomes null, so that a loop cannot
    /// exhaust the memory.
    /// </summary>
    public const int MaxTextLength = 1_048_576;

    /// <summary>
    /// The heaviest list or context an expression or template can make (<see cref="Value.Weight"/>); a heavier one
    /// becomes null.
    /// </summary>
    public const int MaxWeight = 4 * MaxTextLength;

    /// <summary>
    /// The deepest list or context an expression or template can make (<see cref="Value.Depth"/>); a deeper one, which
    /// JSON readers would refuse, becomes null.
    /// </summary>
    public const int MaxValueDepth = StoreLimits.MaxValueDepth;

    /// <summary>
    /// Compiles a source. A leading <c>=</c>, with or without blanks, is optional: <c>= total > 100</c>,
    /// <c>=total>100</c> and <c>total > 100</c> are the same expression. Never throws; exactly one of the two results
    /// is not null.
    /// </summary>
    public static bool TryCompile(
        string source, [NotNullWhen(true)] out Expression? expression, [NotNullWhen(false)] out ExpressionError? error)
    {
        expression = null;
        if (source.Length > MaxLength)
        {
            var message =
                $"The expression has {source.Length} characters; at most {MaxLength} are accepted. Split it over "
                    + "several variables.";
            error = new ExpressionError(message, MaxLength + 1, source);
            return false;
        }

        var parser = new Parser(source);
        if (parser.Parse() is not { } root)
        {
            error = parser.Error!;
            return false;
        }

        error = null;
        expression = Fold(source, root, parser.References);
        return true;
    }

    // Every function is pure, so an expression that reads no variable has one value for ever.
    private static Expression Fold(string source, Node root, IReadOnlyList<VariableReference> references) =>
        new(
            source, references.Count == 0 ? new ConstantNode(root.Evaluate(new Evaluation())) : root,
            references.Select(reference => reference.Name).ToHashSet(StringComparer.Ordinal), references);
}
