namespace Workflow.Bpmn;

/// <summary>The steps of call activities, with the data mappings of each dialect.</summary>
internal sealed class BpmnCalls(BpmnFile file, BpmnExpressions expressions, BpmnMappings mappings, FindingList findings)
{
    /// <summary>The processes that are called with every variable of this one.</summary>
    public List<string> CalledWithAll { get; } = [];

    public void Call(FlowNode node, BpmnElement element)
    {
        var zeebe = element.Extension("calledElement", BpmnNamespace.Zeebe);
        var step = new JsonObject { ["type"] = "call" };
        node.Steps.Add(step);
        if ((zeebe?.AttributeText("processId") ?? element.AttributeText("calledElement")) is not { } called)
        {
            findings.Add(element,
                "The call activity names no process. Give it calledElement=\"processId\", or a zeebe:calledElement.");
            return;
        }

        if (zeebe is null && BpmnReferences.NamespaceOf(element, called.Value) is not null)
        {
            findings.Add(element, called.Line, called.Column, "The called process "
                + $"'{BpmnExpressions.Shown(called.Value)}' is not in this "
                + $"file. {BpmnReferences.Missing(element, called.Value, "")} A process that is registered by itself "
                + "is called by its id alone.");
            return;
        }

        var name = expressions.Name(element, called, "The called process");
        step["definition"] = name;
        if (ExportedStep.Of(element, "call") is { } exported)
        {
            ExportedStep.Overlay(step, exported);
            return;
        }

        if (ExportedStep.Of(element, "callEach") is { } each
            && element.Children.Find(part => part.Is(ElementLoop.Kind)) is { } loop)
        {
            BpmnRules.CheckFlags(loop, findings);
            ElementLoop.Read(step, each, loop);
            return;
        }

        AddBinding(step, element, zeebe);
        var camunda7 = element.Extensions.Where(part => part.Namespace == BpmnNamespace.Camunda
            && part.Kind is "in" or "out").ToList();
        if (camunda7.Count > 0 || expressions.Dialect == BpmnDialect.Camunda7)
        {
            CallOfCamunda7(node, step, element, name, camunda7);
            return;
        }

        var own = mappings.Inputs(element);
        List<BpmnMapping> inputs = [.. own, .. Plain(element, "inputMapping")];
        List<BpmnMapping> outputs = [.. mappings.Outputs(element), .. Plain(element, "outputMapping")];
        var isPlain = element.Extensions.Any(part => part.Kind is "inputMapping" or "outputMapping");
        if (zeebe is not null)
        {
            BpmnRules.CheckFlags(zeebe, findings);
        }

        AddAll(step, element, name, inputs,
            !isPlain && zeebe?.Flag("propagateAllParentVariables", otherwise: true) != false, !isPlain);
        if (outputs.Count > 0 || (!isPlain && zeebe?.Flag("propagateAllChildVariables", otherwise: true) != false))
        {
            mappings.AddOutput(node, step, element, outputs, isPlain ? OutputRule.OfResult : OutputRule.Mapped, own);
        }
    }

    private void AddBinding(JsonObject step, BpmnElement element, BpmnElement? zeebe)
    {
        var binding = zeebe?.Attribute("bindingType")
            ?? element.Attribute("calledElementBinding", BpmnNamespace.Camunda) ?? "latest";
        var number = element.Attribute("calledElementVersion", BpmnNamespace.Camunda);
        if (binding == "version"
            && int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var version))
        {
            step["version"] = version;
        }
        else if (binding != "latest")
        {
            findings.Add(element, $"The binding '{BpmnExpressions.Shown(binding)}' of the called process is not "
                + "imported. Use the latest version, or camunda:calledElementBinding=\"version\" with a number.");
        }
    }

    private void CallOfCamunda7(
        FlowNode node, JsonObject step, BpmnElement element, string? name, List<BpmnElement> parts)
    {
        List<BpmnMapping> inputs = [];
        List<BpmnMapping> outputs = [];
        var (allIn, allOut) = (false, false);
        foreach (var part in parts)
        {
            var isIn = part.Kind == "in";
            if (part.Attribute("businessKey") is not null || part.Attribute("local") is not null)
            {
                findings.Add(part, "Business keys and local variables of a call are not imported. Map a variable: "
                    + "<camunda:in source=\"orderId\" target=\"orderId\" />.");
            }
            else if (part.Attribute("variables") == "all")
            {
                (allIn, allOut) = (allIn || isIn, allOut || !isIn);
            }
            else if ((part.AttributeText("sourceExpression") ?? part.AttributeText("source")) is null)
            {
                findings.Add(part, "The mapping names nothing to take. Give it source=\"orderId\", a sourceExpression, "
                    + "or variables=\"all\".");
            }
            else if ((part.AttributeText("sourceExpression") ?? OfVariable(part)) is { } source
                && mappings.IsTarget(part, part.Attribute("target")))
            {
                (isIn ? inputs : outputs).Add(new(part.Attribute("target")!, source, part));
            }
        }

        AddAll(step, element, name, inputs, allIn, inOrder: false);
        if (outputs.Count > 0 || allOut)
        {
            mappings.AddOutput(node, step, element, outputs, allOut ? OutputRule.AllAndMapped : OutputRule.OfResult);
        }

        if (mappings.Inputs(element).Concat(mappings.Outputs(element)).FirstOrDefault() is { } parameter)
        {
            findings.Add(parameter.Element, "Input and output parameters of a call activity are not imported: they set "
                + "variables of its "
                + "own, not those of the called process. Use <camunda:in source=\"total\" target=\"total\" /> and "
                + "camunda:out.");
        }
    }

    private void AddAll(
        JsonObject step, BpmnElement element, string? called, IReadOnlyList<BpmnMapping> inputs, bool all, bool inOrder)
    {
        if (all && called is not null)
        {
            if (file.Processes.Any(process => process.Id == called))
            {
                CalledWithAll.Add(called);
            }
            else
            {
                findings.Add(element, $"All variables go to '{BpmnExpressions.Shown(called)}', which is not in this "
                    + "file, so which of them it reads is not known. Put both processes into one file, or list them: "
                    + "propagateAllParentVariables=\"false\" with a zeebe:input, or a camunda:in, for each.");
            }
        }

        if (all || inputs.Count > 0)
        {
            mappings.AddInput(step, "input", inputs, all, inOrder);
        }
    }

    private IEnumerable<BpmnMapping> Plain(BpmnElement element, string kind)
    {
        foreach (var line in element.Extensions.Where(part => part.Kind == kind))
        {
            if (OfVariable(line) is { } source && mappings.IsTarget(line, line.Attribute("target")))
            {
                yield return new(line.Attribute("target")!, source, line);
            }
        }
    }

    // The source is the name of a variable, where it is no expression.
    private BpmnText? OfVariable(BpmnElement line)
    {
        var source = line.AttributeText("source");
        if (source is null || BpmnExpressions.IsExpression(source.Value))
        {
            return source;
        }

        return mappings.IsTarget(line, source.Value)
            ? source with { Value = $"= {BpmnMappings.Written(source.Value)}" }
            : null;
    }
}
