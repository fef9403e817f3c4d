namespace Workflow.Abstractions.Expressions;

internal sealed class CallOneNode(Func<Value, Value> body, Func<Value, long> work, CallTraits traits, Node argument)
    : CallNode(traits, Above(4, argument))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = Argument(argument, evaluation);
        return evaluation.TrySpend(work(value)) ? body(value) : Value.Null;
    }
}
