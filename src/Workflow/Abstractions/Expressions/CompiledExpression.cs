using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions;

internal sealed class CompiledExpression(string source, Node root, IReadOnlyCollection<string> variables) : Expression
{
    public override string Source => source;

    public override IReadOnlyCollection<string> Variables => variables;

    public Node Root => root;

    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) => root.Evaluate(variables);

    public override string ToString() => source;
}
