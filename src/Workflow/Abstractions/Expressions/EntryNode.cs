namespace Workflow.Abstractions.Expressions;

/// <summary>An entry of a context around it.</summary>
internal sealed class EntryNode(int slot) : Node(Above())
{
    public override Value Evaluate(Evaluation evaluation) => evaluation.Entry(slot);
}
