namespace Workflow.Abstractions.Expressions;

internal abstract class CallNode(CallTraits traits, Shape shape) : Node(shape)
{
    public override bool IsTest => traits.HasFlag(CallTraits.IsTest);

    protected Value Argument(Node argument, Evaluation evaluation)
    {
        var value = argument.Evaluate(evaluation);
        return value.Kind == ValueKind.List && (traits & CallTraits.TakesLists) == 0 && value.AsList() is [var single]
            ? single
            : value;
    }
}
