namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Three-valued disjunction: true wins over null, and what is not boolean counts as null. Stops at the first true.
/// </summary>
internal sealed class OrNode(Node[] operands) : Node(Above(operands))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation)
    {
        var unknown = false;
        foreach (var operand in operands)
        {
            var value = operand.Evaluate(evaluation);
            if (value.IsTrue)
            {
                return value;
            }

            unknown |= value.Kind != ValueKind.Boolean;
        }

        return unknown ? Value.Null : Value.From(false);
    }
}
