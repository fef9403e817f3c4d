namespace Workflow.Abstractions.Expressions;

internal sealed class CallThreeNode(Func<Value, Value, Value, Value> body, Node first, Node second, Node third)
    : CallNode(CallTraits.None, Above(4, first, second, third))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = Argument(first, evaluation);
        return evaluation.TrySpend(Work.Read(value))
            ? body(value, Argument(second, evaluation), Argument(third, evaluation))
            : Value.Null;
    }
}
