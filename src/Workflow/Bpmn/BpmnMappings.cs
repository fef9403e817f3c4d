using System.Text.RegularExpressions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>Data mappings of both Camundas as inputs of steps and as steps that set variables afterwards.</summary>
internal sealed partial class BpmnMappings(BpmnExpressions expressions, FindingList findings)
{
    private readonly List<Action<IReadOnlyList<string>>> _unfinished = [];

    /// <summary>
    /// Variables that nothing may set that comes from outside; what comes with their names is checked instead.
    /// </summary>
    public HashSet<string> Shared { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Where what comes from outside becomes variables: the variable that has it, and the names that stay in the task.
    /// </summary>
    public List<(FlowNode Node, string Payload, IReadOnlyCollection<string> Own)> Merges { get; } = [];

    /// <summary>In how many places every variable of the process will be written.</summary>
    public int Places => _unfinished.Count;

    /// <summary>How the dialect maps what a task brings.</summary>
    public OutputRule Rule => expressions.Dialect == BpmnDialect.Camunda7 ? OutputRule.AllAndMapped : OutputRule.Mapped;

    /// <summary>Members that hold every variable of the process, once all of them are known.</summary>
    /// <param name="variables">
    /// The process's variables, and those of processes that it calls with all of its own.
    /// </param>
    public void Finish(IReadOnlyList<string> variables)
    {
        _unfinished.ForEach(fill => fill(variables));
        _unfinished.Clear();
    }

    public List<BpmnMapping> Inputs(BpmnElement element) =>
        [.. Lines(element, "ioMapping", BpmnNamespace.Zeebe, "input"), .. Parameters(element, "inputParameter")];

    public List<BpmnMapping> Outputs(BpmnElement element) =>
        [.. Lines(element, "ioMapping", BpmnNamespace.Zeebe, "output"), .. Parameters(element, "outputParameter")];

    /// <summary>A step has variables of its own nowhere but in its input.</summary>
    public void RefuseInputs(BpmnElement element)
    {
        foreach (var input in Inputs(element))
        {
            findings.Add(
                input.Element,
                $"A {element.Kind} has no variables of its own here. Set '{input.Target}' in a script task before it.");
        }
    }

    /// <summary>For what has no data to map.</summary>
    public void RefuseAll(BpmnElement element)
    {
        foreach (var line in Inputs(element).Concat(Outputs(element)))
        {
            findings.Add(line.Element,
                $"A data mapping of a {element.Kind} is not imported. Set '{line.Target}' in a script task.");
        }
    }

    /// <summary>
    /// The mapped values as the input of a step; without a mapping every variable that the process names.
    /// </summary>
    /// <param name="inOrder">Whether each line sees what those before it have written.</param>
    public void AddInput(
        JsonObject step, string member, IReadOnlyList<BpmnMapping> inputs, bool andAll = false, bool inOrder = true)
    {
        var values = new JsonObject();
        if (inputs.Count == 0 || andAll)
        {
            _unfinished.Add(variables =>
            {
                foreach (var name in variables.Where(name => !values.ContainsKey(name)))
                {
                    values[name] = $"= {Written(name)}";
                }

                if (values.Count > 0)
                {
                    step[member] = values;
                }
            });
        }

        foreach (var (target, (value, _)) in Values(inputs, inOrder))
        {
            values[target] = value;
        }

        if (inputs.Count > 0 && !andAll)
        {
            step[member] = values;
        }
    }

    /// <summary>What a step waited for becomes variables, in steps behind it.</summary>
    /// <param name="waiting">The step whose result it is.</param>
    /// <param name="outputs">
    /// The mapping; where there is none, every variable of the process that the result has a member for.
    /// </param>
    /// <param name="inputs">
    /// Variables of the task's own: what comes with their names stays in the task, and a mapping reads them where
    /// nothing came.
    /// </param>
    public void AddOutput(
        FlowNode node, JsonObject waiting, BpmnElement element, IReadOnlyList<BpmnMapping> outputs, OutputRule rule,
        IReadOnlyList<BpmnMapping>? inputs = null)
    {
        var merges = rule == OutputRule.AllAndMapped;
        var payload = VariableOf(node.Key, "payload");
        var own = TextsOf(inputs ?? []);
        if (outputs.Count == 0 || merges)
        {
            AddMerge(node, waiting, element, payload, own);
        }

        if (outputs.Count == 0)
        {
            return;
        }

        var values = new JsonObject();
        foreach (var output in outputs)
        {
            expressions.Variables.Add(output.Target);
            var value = expressions.Value(output.Element, output.Source);
            if (value is JsonValue text && text.GetValue<string>() is ['=', ..] expression
                && (!merges || own.Count > 0))
            {
                var over = expressions.Over(output.Element, expression, Read, $"The output of '{output.Target}'");
                value = over is null ? null : JsonValue.Create(over);
            }

            values[output.Target] = value;
        }

        node.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = values });
        waiting["result"] = payload;

        string Read(string name) =>
            own.TryGetValue(name, out var expressed) ? $"coalesce({payload}.{name}, {expressed})" : rule switch
        {
            OutputRule.OfResult => $"{payload}.{name}",
            OutputRule.Mapped => $"coalesce({payload}.{name}, {name})",
            _ => name,
        };
    }

    /// <summary>The expression of each input.</summary>
    public Dictionary<string, string> TextsOf(IReadOnlyList<BpmnMapping> inputs) => Values(inputs, inOrder: true)
        .ToDictionary(value => value.Key, value => value.Value.Text, StringComparer.Ordinal);

    private Dictionary<string, (JsonNode? Value, string Text)> Values(IReadOnlyList<BpmnMapping> inputs, bool inOrder)
    {
        Dictionary<string, (JsonNode? Value, string Text)> values = new(StringComparer.Ordinal);
        foreach (var input in inputs)
        {
            var value = expressions.Value(input.Element, input.Source);
            if (inOrder && values.Count > 0 && value is JsonValue text
                && text.GetValue<string>() is ['=', ..] expression)
            {
                var seen = expressions.Over(input.Element, expression, Read, $"The input of '{input.Target}'");
                value = seen is null ? value : JsonValue.Create(seen);
            }

            values[input.Target] = (value, TextOf(value));
        }

        return values;

        string Read(string name) =>
            values.TryGetValue(name, out var before) && before.Text != $"({name})" ? before.Text : name;
    }

    private static string TextOf(JsonNode? template)
    {
        var text = template?.ToJsonString() ?? "null";
        if (template is JsonValue value && value.GetValueKind() == JsonValueKind.String)
        {
            text = value.GetValue<string>() is ['=', .. var expression]
                ? $"({expression.Trim()})"
                : TemplateText.Quoted(value.GetValue<string>());
        }

        // What is longer than an expression may be is refused wherever it is read, by its length alone.
        return text.Length > ExpressionCompiler.MaxLength ? text[..(ExpressionCompiler.MaxLength + 1)] : text;
    }

    private void AddMerge(
        FlowNode node, JsonObject waiting, BpmnElement element, string payload, IReadOnlyDictionary<string, string> own)
    {
        var merge = new JsonObject { ["type"] = "set" };
        node.Steps.Add(merge);
        Merges.Add((node, payload, [.. own.Keys]));
        _unfinished.Add(variables =>
        {
            List<string> merged = [.. variables.Where(name => !own.ContainsKey(name))];
            if (merged.Count == 0)
            {
                // A step without values, which nobody writes.
                return;
            }

            waiting["result"] = payload;
            var values = new JsonObject();
            foreach (var name in merged)
            {
                if (Shared.Contains(name))
                {
                    continue;
                }

                values[name] = $"= coalesce({payload}.{name}, {name})";
                if (!Plain().IsMatch(name) || Written(name) != name)
                {
                    findings.Add(element, $"The variable '{name}' cannot be taken from a result. Use letters, digits "
                        + "and '_' in names of variables.");
                }
            }

            merge["values"] = values.Count > 0 ? values : null;
        });
    }

    /// <summary>A variable of a step's own.</summary>
    public static string VariableOf(string step, string what)
    {
        var name = $"{Identifier().Replace(step, "_")}_{what}";
        return char.IsAsciiDigit(name[0]) ? $"_{name}" : name;
    }

    /// <summary>A name as an expression writes it.</summary>
    public static string Written(string name) => Plain().IsMatch(name) ? ForeignExpression.Quoted(name) : $"`{name}`";

    /// <summary>Whether a mapping may write it; a finding where not.</summary>
    public bool IsTarget(BpmnElement element, string? target)
    {
        if (target is not null && Plain().IsMatch(target))
        {
            return true;
        }

        findings.Add(element, target is null ? "The mapping names no variable to write; give it a target."
            : $"'{BpmnExpressions.Shown(target)}' is not written by a mapping. Use the name of a variable: letters, "
                + "digits and '_'.");
        return false;
    }

    private IEnumerable<BpmnMapping> Lines(BpmnElement element, string extension, string of, string kind)
    {
        foreach (var line in element.Extension(extension, of)?.Children.Where(child => child.Kind == kind) ?? [])
        {
            if (line.AttributeText("source") is not { } source)
            {
                findings.Add(line, "The mapping has no source; give it an expression, e.g. source=\"= orderId\".");
            }
            else if (IsTarget(line, line.Attribute("target")))
            {
                yield return new(line.Attribute("target")!, source, line);
            }
        }
    }

    private IEnumerable<BpmnMapping> Parameters(BpmnElement element, string kind)
    {
        var mapping = element.Extension("inputOutput", BpmnNamespace.Camunda);
        foreach (var parameter in mapping?.Children.Where(child => child.Kind == kind) ?? [])
        {
            if (parameter.Children.Count > 0)
            {
                findings.Add(
                    parameter,
                    $"Parameters of kind '{parameter.Children[0].Kind}' are not imported. Write one expression: "
                        + "${total}.");
            }
            else if (IsTarget(parameter, parameter.Attribute("name")))
            {
                yield return new(parameter.Attribute("name")!, parameter.Text, parameter);
            }
        }
    }

    [GeneratedRegex(@"[^A-Za-z0-9_]")]
    private static partial Regex Identifier();

    [GeneratedRegex(@"^[\p{L}_][\p{L}\p{Nd}_]*$")]
    private static partial Regex Plain();
}
