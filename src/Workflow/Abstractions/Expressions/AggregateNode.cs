namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A call over any number of items: those of the one argument when it is a list, else the arguments themselves.
/// </summary>
internal sealed class AggregateNode(Func<IReadOnlyList<Value>, Value> body, Node[] arguments)
    : Node(Above(4, arguments))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var values = new Value[arguments.Length];
        for (var i = 0; i < values.Length; i++)
        {
            values[i] = arguments[i].Evaluate(evaluation);
        }

        var items = values is [{ Kind: ValueKind.List } list] ? list.AsList() : values;
        return evaluation.TrySpend(Work.Many(items)) ? body(items) : Value.Null;
    }
}
