using System.Linq.Expressions;
using System.Reflection;
using System.Text.Json.Serialization;

namespace Workflow.Abstractions.Building;

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
                        $"'{lambda}' is more than members of the value, as order => order.Customer.Name is; write it "
                            + "as the text of an expression instead.", nameof(lambda));
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
        byte or short or int or long =>
            Value.TextOf(Convert.ToDecimal(constant, System.Globalization.CultureInfo.InvariantCulture)),
        double number => ExactNumber.TryParse(number.ToString("R", CultureInfo.InvariantCulture), out var exact)
            ? Value.TextOf(exact)
            : throw new ArgumentException(
                ExactNumber.Problem(number.ToString("R", CultureInfo.InvariantCulture),
                    "round it, or write it as a text"), nameof(constant)),
        Enum value => JsonText.Quote(JsonNamingPolicy.CamelCase.ConvertName(value.ToString())),
        _ => throw new ArgumentException(
            $"Expressions have no literal of type {constant.GetType().Name}, which '{constant}' is. They have texts, "
                + $"numbers and booleans.",
            nameof(constant)),
    };

    private static bool IsOfNullable(MemberInfo member) =>
        Nullable.GetUnderlyingType(member.DeclaringType!) is not null;

    private static string JsonName(MemberInfo member) =>
        member.GetCustomAttribute<JsonPropertyNameAttribute>()?.Name
            ?? JsonNamingPolicy.CamelCase.ConvertName(member.Name);
}
