namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Checks the elements of a <c>callEach</c> step.</summary>
internal static class ElementRule
{
    public static string? Problem(MemberKind kind, Value value) => kind switch
    {
        MemberKind.CountTemplate => value.Kind == ValueKind.Number && decimal.IsInteger(value.AsNumber())
            && value.AsNumber() is >= 0 and <= CallEachStep.MaxElements
                ? null
                : $"Expected a whole number from 0 to {CallEachStep.MaxElements}, but found "
                    + $"{DefinitionPath.Shorten(value.ToString())}.",
        _ when value.Kind != ValueKind.List =>
            $"Expected a list, but found {DefinitionPath.Shorten(value.ToString())}.",
        _ => value.AsList().Count <= CallEachStep.MaxElements
            ? null : $"The list has {value.AsList().Count} elements; the limit is {CallEachStep.MaxElements}.",
    };

    public static void CheckTogether(JsonElement step, string path, ICollection<DefinitionError> errors)
    {
        var hasItems = step.TryGetProperty("items", out _);
        var hasCount = step.TryGetProperty("count", out _);
        if (hasItems == hasCount)
        {
            errors.Add(new DefinitionError(path, hasItems
                ? "'items' and 'count' are both given; keep one."
                : "A callEach needs 'items', e.g. \"= order.lines\", or 'count', e.g. 3."));
        }
        else if (hasCount && step.TryGetProperty("item", out _))
        {
            errors.Add(new DefinitionError(DefinitionPath.Member(path, "item"),
                "'item' belongs to 'items', but the step has 'count'; use 'index', or remove it."));
        }

        if (hasItems && NameOf(step, "item") == NameOf(step, "index"))
        {
            errors.Add(
                new DefinitionError(DefinitionPath.Member(path, step.TryGetProperty("index", out _) ? "index" : "item"),
                $"The element and its number have the same name '{DefinitionPath.Shorten(NameOf(step, "item"))}'; give "
                    + "one another name."));
        }
    }

    private static string NameOf(JsonElement step, string member) =>
        step.TryGetProperty(member, out var name) ? name.ToString() : member;
}
