namespace Workflow.Abstractions.Expressions;

/// <param name="slots">
/// Where entries are kept that others read, by their place among the names; negative where none does.
/// </param>
internal sealed class ContextNode(string[] names, Node[] values, int[]? slots = null)
    : Node(Above(1 + (3 * names.Length), values))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var members = new Dictionary<string, Value>(names.Length, StringComparer.Ordinal);
        for (var i = 0; i < names.Length; i++)
        {
            var value = values[i].Evaluate(evaluation);
            members[names[i]] = value;
            if (slots is not null && slots[i] >= 0)
            {
                evaluation.Keep(slots[i], value);
            }
        }

        return Composite.Of(members);
    }
}
