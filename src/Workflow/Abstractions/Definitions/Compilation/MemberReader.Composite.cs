using System.Text.Json;
using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Numbers, flags, lists and objects.</summary>
internal sealed partial class MemberReader
{
    private const double LargestFactor = 100;

    private DecideCase[]? ReadCases(JsonElement element, string path, string step)
    {
        if (!IsList(element, path, "cases", 1))
        {
            return null;
        }

        var before = errors.Count;
        var index = 0;
        List<DecideCase> cases = [];
        foreach (var item in element.EnumerateArray())
        {
            var casePath = DefinitionPath.Item(path, index++);
            if (!IsObject(item, casePath, "{ \"when\": \"= …\", \"next\": \"…\" }"))
            {
                continue;
            }

            var unchanged = errors.Count;
            var values = Read(item, casePath, "case", DefinitionMembers.Case, step);
            if (errors.Count == unchanged)
            {
                cases.Add(new DecideCase(values.Get<Expression>("when"), values.Get<string>("next")));
            }
        }

        return errors.Count == before ? [.. cases] : null;
    }

    private KeyValuePair<string, Template>[]? ReadValues(JsonElement element, string path)
    {
        if (!IsObject(element, path, "{ \"variable\": value }"))
        {
            return null;
        }

        var before = errors.Count;
        List<KeyValuePair<string, Template>> values = [];
        foreach (var member in element.EnumerateObject())
        {
            var memberPath = DefinitionPath.Member(path, member.Name);
            _ = Good(member.Name, memberPath, NameRule.VariableProblem(member.Name));
            if (TemplateCompiler.Compile(member.Value, memberPath, errors) is { } template)
            {
                values.Add(new(member.Name, template));
            }
        }

        return errors.Count == before ? [.. values] : null;
    }

    private string[]? ReadBranches(JsonElement element, string path, string step)
    {
        if (ReadTexts(element, path, 1) is not { } branches)
        {
            return null;
        }

        var seen = new HashSet<string>(StringComparer.Ordinal);
        for (var i = 0; i < branches.Length; i++)
        {
            var branchPath = DefinitionPath.Item(path, i);
            if (!seen.Add(branches[i]))
            {
                Add(branchPath, $"The branch '{DefinitionPath.Shorten(branches[i])}' is given twice; keep one, or give each branch a first step of its own.");
            }

            Edge(step, branchPath, branches[i], true);
        }

        return branches;
    }

    private string[]? ReadTexts(JsonElement element, string path, int least = 0)
    {
        if (!IsList(element, path, "texts", least))
        {
            return null;
        }

        var before = errors.Count;
        List<string> texts = [];
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            var itemPath = DefinitionPath.Item(path, index++);
            var text = item.ValueKind == JsonValueKind.String ? item.GetString()! : null;
            if (text is { Length: >= 1 and <= NameRule.Longest })
            {
                texts.Add(text);
            }
            else
            {
                Add(itemPath, $"Expected a text of 1 to {NameRule.Longest} characters, but found {Shown(item)}.");
            }
        }

        return errors.Count == before ? [.. texts] : null;
    }

    private RetryPolicy? ReadRetry(JsonElement element, string path, string step)
    {
        if (!IsObject(element, path, "{ \"maxAttempts\": 5, \"initialInterval\": \"PT1S\", \"backoff\": 2 }"))
        {
            return null;
        }

        var before = errors.Count;
        var values = Read(element, path, "retry policy", DefinitionMembers.RetryPolicy, step);
        return errors.Count > before ? null : new RetryPolicy(
            values.Get<int>("maxAttempts"),
            values.GetOr("initialInterval", RetryPolicy.DefaultInitialInterval),
            values.GetOr("backoff", RetryPolicy.DefaultBackoff));
    }

    private object? ReadCount(JsonElement element, string path)
    {
        // To JSON, 1.0 is a whole number too.
        if (element.ValueKind == JsonValueKind.Number && element.GetDecimal() is >= 1 and <= int.MaxValue and var count && decimal.IsInteger(count))
        {
            return (int)count;
        }

        Add(path, $"Expected a whole number from 1 to {int.MaxValue}, but found {Shown(element)}.");
        return null;
    }

    private object? ReadFactor(JsonElement element, string path)
    {
        if (element.ValueKind == JsonValueKind.Number && element.GetDouble() is >= 1 and <= LargestFactor and var factor)
        {
            return factor;
        }

        Add(path, $"Expected a number from 1 to {LargestFactor}, but found {Shown(element)}.");
        return null;
    }

    private object? ReadFlag(JsonElement element, string path)
    {
        if (element.ValueKind is JsonValueKind.True or JsonValueKind.False)
        {
            return element.GetBoolean();
        }

        Add(path, $"Expected true or false, but found {Shown(element)}.");
        return null;
    }

    private bool IsObject(JsonElement element, string path, string example)
    {
        if (element.ValueKind == JsonValueKind.Object)
        {
            return true;
        }

        Add(path, $"Expected an object such as {example}, but found {Shown(element)}.");
        return false;
    }

    private bool IsList(JsonElement element, string path, string of, int least)
    {
        if (element.ValueKind == JsonValueKind.Array && element.GetArrayLength() >= least)
        {
            return true;
        }

        var found = element.ValueKind == JsonValueKind.Array ? "an empty one" : Shown(element);
        Add(path, $"Expected a list of {of}{(least > 0 ? $" with at least {least}" : "")}, but found {found}.");
        return false;
    }
}
