using System.Text.Json;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions;

/// <summary>Turns JSON that passed <see cref="JsonChecks"/> into the nodes of the expression language.</summary>
internal sealed class TemplateCompiler
{
    private readonly ICollection<DefinitionError> _errors;
    private readonly HashSet<string> _variables = new(StringComparer.Ordinal);

    private TemplateCompiler(ICollection<DefinitionError> errors) => _errors = errors;

    /// <summary>The template; null when an error was added.</summary>
    public static Template? Compile(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        var compiler = new TemplateCompiler(errors);
        return compiler.Node(element, path) is { } root ? new CompiledTemplate(element.GetRawText(), root, compiler._variables) : null;
    }

    private Node? Node(JsonElement element, string path) => element.ValueKind switch
    {
        JsonValueKind.String => Text(element.GetString()!, path),
        JsonValueKind.Array => List(element, path),
        JsonValueKind.Object => Context(element, path),
        _ => new ConstantNode(Value.From(element)),
    };

    private Node? Text(string text, string path)
    {
        if (!text.StartsWith('='))
        {
            return new ConstantNode(Value.From(text));
        }

        if (!ExpressionCompiler.TryCompile(text, out var expression, out var error))
        {
            _errors.Add(new DefinitionError(path, error.Message, error.Column));
            return null;
        }

        _variables.UnionWith(expression.Variables);
        return ((CompiledExpression)expression).Root;
    }

    private Node? List(JsonElement element, string path)
    {
        var items = new List<Node>(element.GetArrayLength());
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            if (Node(item, DefinitionPath.Item(path, index++)) is { } node)
            {
                items.Add(node);
            }
        }

        return items.Count == index ? Folded(items, new ListNode([.. items])) : null;
    }

    private Node? Context(JsonElement element, string path)
    {
        List<string> names = [];
        List<Node> values = [];
        var count = 0;
        foreach (var member in element.EnumerateObject())
        {
            count++;
            if (Node(member.Value, DefinitionPath.Member(path, member.Name)) is { } node)
            {
                names.Add(member.Name);
                values.Add(node);
            }
        }

        return values.Count == count ? Folded(values, new ContextNode([.. names], [.. values])) : null;
    }

    private static Node Folded(List<Node> children, Node node) =>
        children.TrueForAll(child => child is ConstantNode) ? new ConstantNode(node.Evaluate(NoVariables.Instance)) : node;
}
