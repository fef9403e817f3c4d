using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>Converts the values of a step's members to texts, and creates the errors of unusable values.</summary>
internal static class StepValues
{
    private const int MaxVariablesShown = 50;
    private const int MaxShown = 80;
    private const int LongestSource = 1_000;

    /// <summary>Creates the error of a member whose value the step cannot use.</summary>
    /// <param name="problem">What is wrong with a value of the right kind.</param>
    public static InstanceError UnusableValue(
        LiveInstance instance, string step, string member, Template source, Value value, string wanted,
        string? problem = null)
    {
        var text = SourceText(source);
        var flaw = problem is null ? "" : $", which {problem}";
        return new(
            $"Step '{step}' needs {wanted} for '{member}', but {StoreLimits.Excerpt(text, LongestSource)} gave "
                + $"{Display(value)}{flaw}. {ListVariables(instance.Variables)}",
            step, text);
    }

    /// <summary>Creates the error of a condition that is neither true nor false.</summary>
    /// <param name="variables">The variables that the condition reads.</param>
    public static InstanceError NotBoolean(
        StepDefinition step, Expression condition, Value value, IReadOnlyDictionary<string, Value> variables)
    {
        var member = step is CallEachStep ? "completionCondition" : "when";
        var element = step.Source?.Element is { } source && source != step.Id ? $" (element '{source}')" : "";
        string[] missing = [.. condition.Variables.Where(name => !variables.ContainsKey(name))
            .Take(MaxVariablesShown).Order(StringComparer.Ordinal).Select(name => $"'{name}'")];
        var reason = missing.Length switch
        {
            0 => "",
            1 => $": there is no variable {missing[0]}",
            _ => $": there are no variables {string.Join(", ", missing)}",
        };
        return new($"Step '{step.Id}'{element} needs true or false for '{member}', but "
            + $"{StoreLimits.Excerpt(condition.Source, LongestSource)} gave {Display(value)}{reason}. "
            + ListVariables(variables), step.Id, condition.Source);
    }

    private static string ListVariables(IReadOnlyDictionary<string, Value> variables)
    {
        // Sort only the names that are shown, so that a loop that ends here repeatedly does no more work than its
        // steps.
        string[] shown = [.. variables.Keys.Take(MaxVariablesShown + 1)];
        var names = shown.Length == 0
            ? "none"
            : string.Join(", ", shown.Take(MaxVariablesShown).Order(StringComparer.Ordinal));
        return $"Variables: {names}{(shown.Length > MaxVariablesShown ? ", ..." : "")}.";
    }

    /// <summary>The template as its author wrote it: text without JSON quotes.</summary>
    public static string SourceText(Template source)
    {
        var written = Value.Parse(source.Source);
        return Text(written) ?? written.ToString();
    }

    private static string Display(Value value)
    {
        // Never write out a large value as a whole.
        var shown = value.Kind == ValueKind.String
            ? Value.From(StoreLimits.Excerpt(value.AsString(), MaxShown))
            : value;
        return shown.Weight > StoreLimits.MaxMessage
            ? $"a large {shown.Kind}"
            : StoreLimits.Excerpt(shown.ToString(), MaxShown);
    }

    public static string? Text(Value value) => value.Kind switch
    {
        ValueKind.String => value.AsString(),
        ValueKind.Number => Value.TextOf(value.AsNumber()),
        _ => null,
    };

    /// <summary>The error as the value of a step's variable.</summary>
    public static Value ErrorValue(InstanceError error) =>
        Value.From(new Dictionary<string, Value>(StringComparer.Ordinal)
        {
            ["code"] = Value.From(error.Code),
            ["message"] = Value.From(StoreLimits.Message(error.Message)),
        });

    public static InstanceError InvalidName(
        LiveInstance instance, string step, string member, Template source, Value given, Value bad)
    {
        var problem = Text(bad) is not { } text ? null
            : (given == bad ? "" : "has a name that ") + StoreLimits.TextProblem(text, StoreLimits.MaxAssignee);
        return UnusableValue(
            instance, step, member, source, given, $"names of 1 to {StoreLimits.MaxAssignee} characters", problem);
    }

    /// <summary>The name of a person or group; null if the value cannot be stored as a name.</summary>
    public static string? NameOf(Value value) =>
        Text(value) is { } text && StoreLimits.TextProblem(text, StoreLimits.MaxAssignee) is null ? text : null;
}
