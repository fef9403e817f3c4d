namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A JSON value in which strings that begin with <c>=</c> are expressions, at any depth; member names are never expressions. A text that
/// itself begins with <c>=</c> is written as an expression: <c>"=\"=...\""</c>. Evaluation is pure and safe to call from several threads.
/// </summary>
public abstract class Template
{
    /// <summary>The template as JSON text, for messages.</summary>
    public abstract string Source { get; }

    /// <summary>The names of the variables that the template reads; without any, its value is always the same.</summary>
    public abstract IReadOnlyCollection<string> Variables { get; }

    /// <summary>Evaluates over variables without a budget; one that is missing is null.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables) => Evaluate(variables, new Evaluation());

    /// <summary>Evaluates under a budget of work. The result counts only if that is not exceeded afterwards.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation);

    /// <summary>
    /// Compiles a JSON value. Errors are added with their path below <paramref name="jsonPath"/>: expressions that cannot be compiled,
    /// numbers outside the range of decimal, members given twice, texts that are not valid Unicode. Parts without expressions are
    /// evaluated once.
    /// </summary>
    /// <param name="jsonPath">Where the value stands, for error messages, e.g. <c>steps.done.output</c>.</param>
    public static Template? TryCompile(JsonElement element, string jsonPath, ICollection<DefinitionError> errors)
    {
        var before = errors.Count;
        JsonChecks.Check(element, jsonPath, errors);
        return errors.Count == before ? TemplateCompiler.Compile(element, jsonPath, errors) : null;
    }
}

internal sealed class CompiledTemplate(string source, Node root, IReadOnlyCollection<string> variables) : Template
{
    public override string Source => source;
    public override IReadOnlyCollection<string> Variables => variables;

    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(root, variables);

    public override string ToString() => source;
}

/// <summary>Turns JSON that passed <see cref="JsonChecks"/> into the nodes of the expression language.</summary>
internal sealed class TemplateCompiler
{
    private readonly PathTrail _path;
    private readonly ICollection<DefinitionError> _errors;
    private readonly HashSet<string> _variables = new(StringComparer.Ordinal);

    private TemplateCompiler(string path, ICollection<DefinitionError> errors) => (_path, _errors) = (new(path), errors);

    public static Template? Compile(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        var compiler = new TemplateCompiler(path, errors);
        return compiler.Node(element) is { } root ? new CompiledTemplate(element.GetRawText(), root, compiler._variables) : null;
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
        return ((CompiledExpression)expression).Root;
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
