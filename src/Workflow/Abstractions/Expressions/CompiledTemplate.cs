namespace Workflow.Abstractions.Expressions;

internal sealed class CompiledTemplate(string source, Node root, IReadOnlyCollection<string> variables) : Template
{
    public override string Source => source;
    public override IReadOnlyCollection<string> Variables => variables;

    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(root, variables);

    public override string ToString() => source;
}
