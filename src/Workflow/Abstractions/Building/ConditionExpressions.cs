namespace Workflow.Abstractions.Building;

/// <summary>Joins conditions.</summary>
public static class ConditionExpressions
{
    public static TypedExpression<bool> And(this TypedExpression<bool> one, TypedExpression<bool> other) =>
        Joined(one, "and", other, ExpressionText.Conjunction);

    public static TypedExpression<bool> Or(this TypedExpression<bool> one, TypedExpression<bool> other) =>
        Joined(one, "or", other, ExpressionText.Disjunction);

    public static TypedExpression<bool> Not(this TypedExpression<bool> condition) =>
        new($"not({condition.Bound(ExpressionText.Disjunction)})", ExpressionText.Operand);

    private static TypedExpression<bool> Joined(
        TypedExpression<bool> one, string word, TypedExpression<bool> other, int binding) =>
        new($"{one.Bound(binding)} {word} {other.Bound(binding)}", binding);
}
