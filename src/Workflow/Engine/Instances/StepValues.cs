using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>What the values of a step's members mean as texts, and the errors of those that mean nothing.</summary>
internal static class StepValues
{
    private const int MaxVariablesShown = 50;
    private const int MaxShown = 80;

    /// <summary>A member of a step has a value that it cannot use.</summary>
    /// <param name="problem">What is wrong with the value, where its kind is right.</param>
    public static InstanceError Unusable(
        LiveInstance instance, string step, string member, Template source, Value value, string wanted, string? problem = null)
    {
        // Those that are shown alone are put in order: a loop that comes here again and again has no more work than its steps.
        var variables = instance.Variables.Count == 0 ? "none" : string.Join(
            ", ", instance.Variables.Keys.Take(MaxVariablesShown).Order(StringComparer.Ordinal));
        return new($"Step '{step}' needs {wanted} for '{member}', but {StoreLimits.Excerpt(Written(source), 1_000)} gave {Shown(value)}"
            + $"{(problem is null ? "" : $", which {problem}")}. "
            + $"Variables: {variables}{(instance.Variables.Count > MaxVariablesShown ? ", ..." : "")}.", step, Written(source));
    }

    /// <summary>The template as its author wrote it: text without the quotes of JSON.</summary>
    public static string Written(Template source) => Text(Value.Parse(source.Source)) ?? source.Source;

    private static string Shown(Value value)
    {
        // Shown as JSON, but never written out whole when it is large.
        var shown = value.Kind == ValueKind.String ? Value.From(StoreLimits.Excerpt(value.AsString(), MaxShown)) : value;
        return shown.Weight > StoreLimits.MaxMessage ? $"a large {shown.Kind}" : StoreLimits.Excerpt(shown.ToString(), MaxShown);
    }

    public static string? Text(Value value) => value.Kind switch
    {
        ValueKind.String => value.AsString(),
        ValueKind.Number => Value.TextOf(value.AsNumber()),
        _ => null,
    };

    /// <summary>The error as a step's variable takes it.</summary>
    public static Value OfError(InstanceError error) => Value.From(new Dictionary<string, Value>(StringComparer.Ordinal)
    {
        ["code"] = Value.From(error.Code),
        ["message"] = Value.From(StoreLimits.Message(error.Message)),
    });

    public static InstanceError BadName(
        LiveInstance instance, string step, string member, Template source, Value given, Value bad)
    {
        var problem = Text(bad) is not { } text ? null
            : (given == bad ? "" : "has a name that ") + StoreLimits.TextProblem(text, StoreLimits.MaxAssignee);
        return Unusable(instance, step, member, source, given, $"names of 1 to {StoreLimits.MaxAssignee} characters", problem);
    }

    /// <summary>The name of a person or a group; null where the value is none that every store keeps.</summary>
    public static string? NameOf(Value value) =>
        Text(value) is { } text && StoreLimits.TextProblem(text, StoreLimits.MaxAssignee) is null ? text : null;
}
