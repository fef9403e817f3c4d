namespace Workflow.Abstractions.Building;

/// <summary>
/// An expression that gives a value of a type: a value in a template, a condition where it is a boolean. Constants of
/// that type convert by themselves. Its text stands in other expressions as <c>$"= {total} * 2"</c>.
/// </summary>
public sealed class TypedExpression<T>
{
    private readonly string _text;
    private readonly int _binding;

    internal TypedExpression(string text, int binding) => (_text, _binding) = (text, binding);

    public TypedExpression<bool> Is(TypedExpression<T> other) => Compared("=", other);
    public TypedExpression<bool> IsNot(TypedExpression<T> other) => Compared("!=", other);

    /// <summary>Also true where there is no such member.</summary>
    public TypedExpression<bool> IsNull() => new($"{Bound(ExpressionText.Operand)} = null", ExpressionText.Comparison);

    public static TypedExpression<bool> operator <(TypedExpression<T> left, TypedExpression<T> right) =>
        left.Compared("<", right);
    public static TypedExpression<bool> operator >(TypedExpression<T> left, TypedExpression<T> right) =>
        left.Compared(">", right);
    public static TypedExpression<bool> operator <=(TypedExpression<T> left, TypedExpression<T> right) =>
        left.Compared("<=", right);
    public static TypedExpression<bool> operator >=(TypedExpression<T> left, TypedExpression<T> right) =>
        left.Compared(">=", right);

    /// <exception cref="ArgumentException">Expressions have no literal of this type.</exception>
    public static implicit operator TypedExpression<T>(T constant) =>
        new(ExpressionText.Literal(constant), ExpressionText.Operand);

    public static implicit operator TemplateValue(TypedExpression<T> expression) => expression?.Template;

    /// <summary>The expression with its sign.</summary>
    internal string Template => $"= {_text}";

    /// <summary>The text, in brackets where it binds looser than that.</summary>
    internal string Bound(int binding) => _binding >= binding ? _text : $"({_text})";

    public override string ToString() => Bound(ExpressionText.Operand);

    private TypedExpression<bool> Compared(string sign, TypedExpression<T> other) =>
        new($"{Bound(ExpressionText.Operand)} {sign} {other.Bound(ExpressionText.Operand)}", ExpressionText.Comparison);
}
