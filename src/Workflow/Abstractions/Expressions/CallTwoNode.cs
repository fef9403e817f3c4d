namespace Workflow.Abstractions.Expressions;

internal sealed class CallTwoNode(Func<Value, Value, Value> body, CallTraits traits, Node first, Node second)
    : CallNode(traits, Above(4, first, second))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var (one, other) = (Argument(first, evaluation), Argument(second, evaluation));
        return evaluation.TrySpend(Work.Search(one, other)) ? body(one, other) : Value.Null;
    }
}
