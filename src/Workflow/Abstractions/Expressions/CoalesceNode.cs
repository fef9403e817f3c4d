namespace Workflow.Abstractions.Expressions;

/// <summary>The first argument that is not null; the rest is not evaluated.</summary>
internal sealed class CoalesceNode(Node[] arguments) : Node(Above(arguments))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        foreach (var argument in arguments)
        {
            var value = argument.Evaluate(evaluation);
            if (!value.IsNull)
            {
                return value;
            }
        }

        return Value.Null;
    }
}
