using System.Linq.Expressions;
using System.Reflection;
using System.Text.Json.Serialization;

namespace Workflow.Abstractions.Building;

/// <summary>
/// A variable whose value has the members of a type, e.g. what a signal, a task, an activity or a call brings: <see cref="Get"/> reads them
/// by the names of C#, so that a misspelt one does not compile. In JSON they are written in camel case, or as
/// <see cref="JsonPropertyNameAttribute"/> says. It is a name where one is wanted, as <see cref="Variable"/> is.
/// </summary>
/// <param name="Name">The name of the variable.</param>
public readonly record struct Variable<T>(string Name)
{
    /// <summary>The whole value.</summary>
    public TypedExpression<T> Value => new(ExpressionText.Name(Name), ExpressionText.Operand);

    /// <summary>A member of the value, or a member of a member.</summary>
    /// <param name="member">E.g. <c>order => order.Customer.Name</c>.</param>
    /// <exception cref="ArgumentException">It is something else than members.</exception>
    public TypedExpression<TMember> Get<TMember>(Expression<Func<T, TMember>> member) =>
        new($"{ExpressionText.Name(Name)}{ExpressionText.Path(member)}", ExpressionText.Operand);

    public static implicit operator string(Variable<T> variable) => variable.Name;
    public static implicit operator TemplateValue(Variable<T> variable) => variable.Value;

    public override string ToString() => Name;
}

/// <summary>
/// An expression that gives a value of a type: a value in a template, a condition where it is a boolean. Constants of that type convert by
/// themselves. Its text stands in other expressions as <c>$"= {total} * 2"</c>.
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

    public static TypedExpression<bool> operator <(TypedExpression<T> left, TypedExpression<T> right) => left.Compared("<", right);
    public static TypedExpression<bool> operator >(TypedExpression<T> left, TypedExpression<T> right) => left.Compared(">", right);
    public static TypedExpression<bool> operator <=(TypedExpression<T> left, TypedExpression<T> right) => left.Compared("<=", right);
    public static TypedExpression<bool> operator >=(TypedExpression<T> left, TypedExpression<T> right) => left.Compared(">=", right);

    /// <exception cref="ArgumentException">Expressions have no literal of this type.</exception>
    public static implicit operator TypedExpression<T>(T constant) => new(ExpressionText.Literal(constant), ExpressionText.Operand);

    public static implicit operator TemplateValue(TypedExpression<T> expression) => expression?.Template;

    /// <summary>The expression with its sign.</summary>
    internal string Template => $"= {_text}";

    /// <summary>The text, in brackets where it binds looser than that.</summary>
    internal string Bound(int binding) => _binding >= binding ? _text : $"({_text})";

    public override string ToString() => Bound(ExpressionText.Operand);

    private TypedExpression<bool> Compared(string sign, TypedExpression<T> other) =>
        new($"{Bound(ExpressionText.Operand)} {sign} {other.Bound(ExpressionText.Operand)}", ExpressionText.Comparison);
}

/// <summary>Joins conditions.</summary>
public static class ConditionExpressions
{
    public static TypedExpression<bool> And(this TypedExpression<bool> one, TypedExpression<bool> other) =>
        Joined(one, "and", other, ExpressionText.Conjunction);

    public static TypedExpression<bool> Or(this TypedExpression<bool> one, TypedExpression<bool> other) =>
        Joined(one, "or", other, ExpressionText.Disjunction);

    public static TypedExpression<bool> Not(this TypedExpression<bool> condition) =>
        new($"not({condition.Bound(ExpressionText.Disjunction)})", ExpressionText.Operand);

    private static TypedExpression<bool> Joined(TypedExpression<bool> one, string word, TypedExpression<bool> other, int binding) =>
        new($"{one.Bound(binding)} {word} {other.Bound(binding)}", binding);
}

/// <summary>Names, members and constants of C# as texts of expressions.</summary>
internal static class ExpressionText
{
    /// <summary>How tightly a text binds, from the loosest.</summary>
    public const int Disjunction = 0;

    public const int Conjunction = 1;
    public const int Comparison = 2;
    public const int Operand = 3;

    /// <summary>A name, in backticks where it would be read as something else.</summary>
    public static string Name(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Keywords.IsPlainName(name) ? name : $"`{name}`";
    }

    public static string Path(LambdaExpression lambda)
    {
        var path = "";
        var at = lambda.Body;
        while (at != lambda.Parameters[0])
        {
            switch (at)
            {
                case UnaryExpression { NodeType: ExpressionType.Convert } conversion:
                    at = conversion.Operand;
                    break;
                case MemberExpression { Expression: { } owner } member when !IsOfNullable(member.Member):
                    path = $".{Name(JsonName(member.Member))}{path}";
                    at = owner;
                    break;
                case MemberExpression { Expression: { } owner, Member.Name: "Value" }:
                    at = owner;
                    break;
                default:
                    throw new ArgumentException(
                        $"'{lambda}' is more than members of the value, as order => order.Customer.Name is; write it as the text of an "
                        + "expression instead.", nameof(lambda));
            }
        }

        return path;
    }

    /// <summary>A constant as FEEL writes it.</summary>
    public static string Literal(object? constant) => constant switch
    {
        null => "null",
        string text => JsonText.Quote(text),
        bool flag => flag ? "true" : "false",
        decimal number => Value.TextOf(number),
        byte or short or int or long => Value.TextOf(Convert.ToDecimal(constant, System.Globalization.CultureInfo.InvariantCulture)),
        double number => Value.TextOf((decimal)number),
        Enum value => JsonText.Quote(JsonNamingPolicy.CamelCase.ConvertName(value.ToString())),
        _ => throw new ArgumentException(
            $"Expressions have no literal of type {constant.GetType().Name}, which '{constant}' is. They have texts, numbers and booleans.",
            nameof(constant)),
    };

    private static bool IsOfNullable(MemberInfo member) => Nullable.GetUnderlyingType(member.DeclaringType!) is not null;

    private static string JsonName(MemberInfo member) =>
        member.GetCustomAttribute<JsonPropertyNameAttribute>()?.Name ?? JsonNamingPolicy.CamelCase.ConvertName(member.Name);
}
