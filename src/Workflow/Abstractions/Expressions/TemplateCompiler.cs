namespace Workflow.Abstractions.Expressions;

/// <summary>Turns JSON that passed <see cref="JsonChecks"/> into the nodes of the expression language.</summary>
internal sealed class TemplateCompiler
{
    private readonly PathTrail _path;
    private readonly ICollection<DefinitionError> _errors;
    private readonly HashSet<string> _variables = new(StringComparer.Ordinal);

    private TemplateCompiler(string path, ICollection<DefinitionError> errors) =>
        (_path, _errors) = (new(path), errors);

    public static Template? Compile(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        var compiler = new TemplateCompiler(path, errors);
        return compiler.Node(element) is { } root
            ? new Template(element.GetRawText(), root, compiler._variables)
            : null;
    }

    private Node? Node(JsonElement element) => element.ValueKind switch
    {
        JsonValueKind.String => Text(element.GetString()!),
        JsonValueKind.Array => List(element),
        JsonValueKind.Object => Context(element),
        _ => new ConstantNode(Value.From(element)),
    };

    private Node? Text(string text)
    {
        if (!text.StartsWith('='))
        {
            return new ConstantNode(Value.From(text));
        }

        if (!ExpressionCompiler.TryCompile(text, out var expression, out var error))
        {
            _errors.Add(new DefinitionError(_path.ToString(), error.Message, error.Column));
            return null;
        }

        _variables.UnionWith(expression.Variables);
        return expression.Root;
    }

    private Node? List(JsonElement element)
    {
        var items = new List<Node>(element.GetArrayLength());
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            _path.Enter(index++);
            if (Node(item) is { } node)
            {
                items.Add(node);
            }

            _path.Leave();
        }

        return items.Count == index ? Folded(items, new ListNode([.. items])) : null;
    }

    private Node? Context(JsonElement element)
    {
        List<string> names = [];
        List<Node> values = [];
        var count = 0;
        foreach (var member in element.EnumerateObject())
        {
            count++;
            _path.Enter(member.Name);
            if (Node(member.Value) is { } node)
            {
                names.Add(member.Name);
                values.Add(node);
            }

            _path.Leave();
        }

        return values.Count == count ? Folded(values, new ContextNode([.. names], [.. values])) : null;
    }

    private static Node Folded(List<Node> children, Node node) =>
        children.TrueForAll(child => child is ConstantNode) ? new ConstantNode(node.Evaluate(new Evaluation())) : node;
}
