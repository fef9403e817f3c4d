namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Three-valued conjunction: false wins over null, and what is not boolean counts as null. Stops at the first false.
/// </summary>
internal sealed class AndNode(Node[] operands) : Node(Above(operands))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation)
    {
        var unknown = false;
        foreach (var operand in operands)
        {
            var value = operand.Evaluate(evaluation);
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
