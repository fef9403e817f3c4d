using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>The steps of script tasks: they set variables.</summary>
internal sealed class BpmnScripts(BpmnExpressions expressions, BpmnMappings mappings, FindingList findings)
{
    private const string Empty = "The script is empty, so nothing is done: the process goes on at once. Write an "
        + "assignment, e.g. total = price * quantity, if something is to be set.";

    public void Read(FlowNode node, BpmnElement element)
    {
        if (element.Extension("script", BpmnNamespace.Zeebe) is { } zeebe)
        {
            Assign(node, element, zeebe.AttributeText("expression"), zeebe.Attribute("resultVariable"));
            return;
        }

        var format = element.Attribute("scriptFormat");
        var script = element.Model("script").FirstOrDefault();
        if (ExportedStep.Of(element, "set")?["values"] is JsonObject values && ExportedStep.IsUnchanged(script, values))
        {
            node.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = values.DeepClone() });
            return;
        }

        var result = element.Attribute("resultVariable", BpmnNamespace.Camunda);
        if (script is not null)
        {
            BpmnRules.Check(script, findings);
        }

        if (result is null && string.IsNullOrWhiteSpace(script?.Text.Value))
        {
            node.DoNothing(Empty);
        }
        else if (script is null)
        {
            findings.Add(element, $"There is no script that gives the result '{BpmnExpressions.Shown(result!)}'. Write "
                + "one in FEEL, or remove the result variable.");
        }
        else if (result is not null)
        {
            if (format is null || !format.Contains("feel", StringComparison.OrdinalIgnoreCase))
            {
                findings.Add(element, $"Scripts in '{BpmnExpressions.Shown(format ?? "")}' are not imported. Write it "
                    + "in FEEL with scriptFormat=\"feel\".");
                return;
            }

            Assign(node, element, script.Text, result);
        }
        else if (expressions.Script(script, script.Text, format) is { } assignments)
        {
            if (assignments.Count == 0)
            {
                node.DoNothing(Empty);
                return;
            }

            AddSets(node, assignments, atOnce: ExportedStep.Of(element, "set") is not null);
        }
    }

    private void Assign(FlowNode node, BpmnElement element, BpmnText? expression, string? result)
    {
        if (expression is null)
        {
            findings.Add(element, "The script has no expression. Write one, e.g. = price * quantity.");
        }
        else if (mappings.IsTarget(element, result))
        {
            expressions.Variables.Add(result!);
            var value = BpmnExpressions.IsExpression(expression.Value)
                ? expressions.Expression(element, expression)
                : expressions.Feel(element, expression, 0, expression.Value);
            AddSets(node, [new(result!, value ?? "= null")]);
        }
    }

    // A set evaluates all its values before it assigns any; a script assigns one after the other.
    private static void AddSets(
        FlowNode node, IReadOnlyList<KeyValuePair<string, string>> assignments, bool atOnce = false)
    {
        var values = new JsonObject();
        foreach (var (name, expression) in assignments)
        {
            if (!atOnce && values.Count > 0 && (values.ContainsKey(name) || Reads(expression, values)))
            {
                node.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = values });
                values = new JsonObject();
            }

            values[name] = BpmnExpressions.Simplified(expression);
        }

        node.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = values });

        static bool Reads(string expression, JsonObject assigned) =>
            !ExpressionCompiler.TryCompile(expression, out var compiled, out _)
            || compiled.Variables.Any(assigned.ContainsKey);
    }
}
