namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>Three-valued conjunction: false wins over null, and what is not boolean counts as null. Stops at the first false.</summary>
internal sealed class AndNode(Node[] operands) : Node(Above(operands))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var unknown = false;
        foreach (var operand in operands)
        {
            var value = operand.Evaluate(variables);
            if (value.Kind != ValueKind.Boolean)
            {
                unknown = true;
            }
            else if (!value.AsBoolean())
            {
                return Value.From(false);
            }
        }

        return unknown ? Value.Null : Value.From(true);
    }
}
