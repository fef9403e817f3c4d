namespace Workflow.Abstractions.Expressions;

internal sealed class CompiledExpression(
    string source, Node root, IReadOnlyCollection<string> variables,
    IReadOnlyList<VariableReference> references) : Expression
{
    public override string Source => source;
    public override IReadOnlyCollection<string> Variables => variables;
    public override IReadOnlyList<VariableReference> References => references;
    public Node Root => root;

    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(root, variables);

    public override string ToString() => source;
}
