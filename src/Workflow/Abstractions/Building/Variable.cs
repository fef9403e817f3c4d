using System.Linq.Expressions;
using System.Text.Json.Serialization;

namespace Workflow.Abstractions.Building;

/// <summary>
/// The name of a variable, written once: it is the name where one is wanted, <c>= name</c> where a value is, and stands
/// in the texts of expressions as <c>$"= {total} > 100"</c>.
/// </summary>
public readonly record struct Variable(string Name)
{
    public static implicit operator string(Variable variable) => variable.Name;

    public override string ToString() => Name;
}

/// <summary>
/// A variable whose value has the members of a type, e.g. what a signal, a task, an activity or a call brings:
/// <see cref="Get"/> reads them by the names of C#, so that a misspelt one does not compile. In JSON they are written
/// in camel case, or as <see cref="JsonPropertyNameAttribute"/> says. It is a name where one is wanted, as
/// <see cref="Variable"/> is.
/// </summary>
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
