namespace Workflow.Abstractions.Building;

/// <summary>A call with its arguments; without a name it is a tuple.</summary>
internal sealed class CodeCall(string name, IEnumerable<Code> arguments) : Code
{
    private readonly List<Code> _arguments = [.. arguments];
    private string? _flat;

    public CodeCall With(IEnumerable<Code> others) => new(name, [.. _arguments, .. others]);

    public override string? Flat => _flat ??= _arguments.TrueForAll(argument => argument.Flat is not null)
        ? $"{name}({string.Join(", ", _arguments.Select(argument => argument.Flat))})"
        : null;

    public override void Break(CodeWriter writer, int indent)
    {
        writer.Append($"{name}(");
        var others = _arguments.SkipLast(1).ToList();
        if (_arguments.Count > 0 && _arguments[^1] is CodeLambda lambda
            && others.TrueForAll(argument => argument.Flat is not null))
        {
            var leading = string.Concat(others.Select(argument => $"{argument.Flat}, "));
            if (HasRoom(writer, leading, lambda.Head.Length))
            {
                writer.Append(leading);
                lambda.Break(writer, indent);
                writer.Append(")");
                return;
            }
        }

        for (var i = 0; i < _arguments.Count; i++)
        {
            writer.NewLine(indent + Indent);
            _arguments[i].Write(writer, indent + Indent, 1);
            writer.Append(i + 1 < _arguments.Count ? "," : "");
        }

        writer.Append(")");
    }
}
