using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;

namespace Workflow.Bpmn;

/// <summary>The steps of single elements, without what they lead to.</summary>
internal sealed class BpmnSteps(BpmnFile file, BpmnExpressions expressions, BpmnMappings mappings, FindingList findings)
{
    /// <summary>What Camunda 8 repeats a failed job to, where the model does not say.</summary>
    private const int DefaultRetries = 3;

    /// <summary>A call of an activity; of a service task, a send task, or an event that throws a message.</summary>
    /// <returns>False where the element names no activity.</returns>
    public bool Invoke(FlowNode node, BpmnElement element, BpmnElement? definition = null)
    {
        var holders = new[] { element, definition }.OfType<BpmnElement>().ToList();
        var zeebe = holders.Select(holder => holder.Extension("taskDefinition", BpmnNamespace.Zeebe))
            .FirstOrDefault(found => found is not null);
        var topic = holders.Select(holder => holder.AttributeText("topic", BpmnNamespace.Camunda))
            .FirstOrDefault(found => found is not null);
        var implementation = element.AttributeText("implementation");
        var isStandard = implementation is null || implementation.Value.StartsWith("##", StringComparison.Ordinal);
        var exported = ExportedStep.Of(element, "invoke");
        if ((zeebe?.AttributeText("type") ?? topic ?? (isStandard ? null : implementation)) is not { } name)
        {
            if (exported?["activity"] is not { } activity)
            {
                return false;
            }

            node.Steps.Add(new JsonObject { ["type"] = "invoke", ["activity"] = activity.DeepClone() });
            ExportedStep.Overlay(node.Steps[0], exported);
            return true;
        }

        var step = new JsonObject
            { ["type"] = "invoke", ["activity"] = expressions.Name(element, name, "The activity") };
        node.Steps.Add(step);
        if (zeebe is not null)
        {
            AddRetries(step, zeebe);
        }

        if (exported is not null)
        {
            ExportedStep.Overlay(step, exported);
            return true;
        }

        var inputs = mappings.Inputs(element);
        mappings.AddInput(step, "input", inputs, andAll: true);
        mappings.AddOutput(node, step, element, mappings.Outputs(element), mappings.Rule, inputs);
        return true;
    }

    private void AddRetries(JsonObject step, BpmnElement definition)
    {
        var text = definition.Attribute("retries");
        if (!int.TryParse(text ?? $"{DefaultRetries}", NumberStyles.None, CultureInfo.InvariantCulture, out var retries)
            || retries is < 1 or > 1000)
        {
            findings.Add(definition,
                $"'{BpmnExpressions.Shown(text!)}' is not a number of attempts. Write a whole number from 1 to 1000.");
        }
        else if (retries > 1)
        {
            step["retry"] = new JsonObject { ["maxAttempts"] = retries, ["initialInterval"] = "PT0S", ["backoff"] = 1 };
        }
    }

    public void User(FlowNode node, BpmnElement element)
    {
        var step = new JsonObject { ["type"] = "task" };
        node.Steps.Add(step);
        if (ExportedStep.Of(element, "task") is { } exported)
        {
            ExportedStep.Overlay(step, exported);
            return;
        }

        var zeebe = element.Extension("assignmentDefinition", BpmnNamespace.Zeebe);
        if (zeebe?.Attribute("candidateUsers") is not null)
        {
            findings.Add(
                zeebe, "The attribute 'candidateUsers' is not imported. Use an assignee, or a group of these people.");
        }

        if ((zeebe?.AttributeText("assignee")
            ?? element.AttributeText("assignee", BpmnNamespace.Camunda)) is { } assignee)
        {
            step["assignee"] = expressions.Value(element, assignee);
        }

        if ((zeebe?.AttributeText("candidateGroups")
            ?? element.AttributeText("candidateGroups", BpmnNamespace.Camunda)) is { } groups)
        {
            var isList = BpmnExpressions.IsExpression(groups.Value);
            if (isList)
            {
                findings.Add(element, groups.Line, groups.Column, "Groups that an expression lists are not imported. "
                    + "Write them with commas between: candidateGroups=\"sales, managers\".");
            }

            var names = groups.Value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
            step["groups"] = new JsonArray(
                [.. names.Where(_ => !isList).Select(
                    group => expressions.Value(element, groups with { Value = group }))]);
        }

        mappings.RefuseInputs(element);
        mappings.AddOutput(node, step, element, mappings.Outputs(element), mappings.Rule);
    }

    /// <summary>Waits for a message or signal; of a receive task, or an event that catches one.</summary>
    public void Wait(FlowNode node, BpmnElement element, BpmnElement reference)
    {
        var step = new JsonObject { ["type"] = "waitSignal" };
        node.Steps.Add(step);
        AddEvent(node, step, element, reference);
    }

    /// <summary>What is waited for, as members of a step or of one of its events.</summary>
    /// <param name="node">Sets the variables that come with it.</param>
    public void AddEvent(FlowNode node, JsonObject step, BpmnElement element, BpmnElement reference)
    {
        var isSignal = reference.Is("signalEventDefinition");
        if (reference.Flag("instantiate"))
        {
            findings.Add(element, "A receive task that starts the process is not imported. Use a start event without a "
                + "trigger, and let whoever sends the message send POST /instances.");
        }

        step["signal"] = Signal(reference, isSignal ? "signal" : "message", out var declared);
        if (ExportedStep.Of(element, "waitSignal") is { } exported)
        {
            ExportedStep.Overlay(step, exported);
            return;
        }

        if (ExportedStep.Of(reference, "event") is { } happening)
        {
            ExportedStep.Overlay(step, happening, "correlation", "result");
            return;
        }

        if (!isSignal && declared is not null)
        {
            var subscription = declared.Extension("subscription", BpmnNamespace.Zeebe);
            if (subscription?.AttributeText("correlationKey") is { } key)
            {
                step["correlation"] = expressions.Value(subscription, key);
            }
            else if (expressions.Dialect == BpmnDialect.Camunda8)
            {
                findings.Add(element, $"The message '{BpmnExpressions.Shown(declared.Title ?? "")}' has no key by "
                    + "which it finds its instance. Give it a zeebe:subscription with correlationKey=\"= orderId\".");
            }
        }

        mappings.RefuseInputs(element);
        mappings.AddOutput(node, step, element, mappings.Outputs(element), mappings.Rule);
    }

    /// <summary>The signal that starts the process, by the message or signal of its start event.</summary>
    public JsonObject StartSignal(BpmnElement reference)
    {
        var start = new JsonObject
            { ["signal"] = Signal(reference, reference.Is("signalEventDefinition") ? "signal" : "message", out _) };
        ExportedStep.Overlay(start, ExportedStep.Of(reference, "event") ?? [], "result");
        return start;
    }

    public BpmnDialect Dialect => expressions.Dialect;

    /// <summary>Whether a variable may be written, which the process then names; a finding where not.</summary>
    public bool IsVariable(BpmnElement element, string name)
    {
        expressions.Variables.Add(name);
        return mappings.IsTarget(element, name);
    }

    private static string Missing(BpmnElement reference, string kind, string id) =>
        $"There is no {kind} '{BpmnExpressions.Shown(id)}' in the file. "
        + BpmnReferences.Missing(reference, id, "Declare it beside the process.");

    /// <summary>
    /// The code of the error that an element catches; null where it catches every error, or there is a finding.
    /// </summary>
    public string? ErrorCode(BpmnElement definition)
    {
        if (definition.Attribute("errorRef") is not { } id)
        {
            return null;
        }

        var declared = file.Declared("error", id);
        var code = declared?.Attribute("errorCode");
        if (declared is null)
        {
            findings.Add(definition, Missing(definition, "error", id));
        }
        else if (string.IsNullOrEmpty(code))
        {
            findings.Add(definition, $"The error '{BpmnExpressions.Shown(id)}' that it catches has no errorCode. Give "
                + "it one, or catch every error without errorRef.");
        }
        else if (BpmnExpressions.IsExpression(code))
        {
            findings.Add(definition, $"The code '{BpmnExpressions.Shown(code)}' is an expression; only a code that is "
                + "the same for every "
                + "instance is caught. Write the code itself, or catch every error, and decide behind.");
        }

        return code;
    }

    /// <summary>The name of the message or signal that an element refers to.</summary>
    private string? Signal(BpmnElement reference, string kind, out BpmnElement? declared)
    {
        var id = reference.Attribute($"{kind}Ref");
        declared = id is null ? null : file.Declared(kind, id);
        if (declared is null)
        {
            findings.Add(reference,
                id is null ? $"It names no {kind}. Declare a {kind} beside the process, and refer to it by {kind}Ref."
                : Missing(reference, kind, id));
            return null;
        }

        if (declared.AttributeText("name") is not { Value.Length: > 0 } name)
        {
            findings.Add(declared,
                $"The {kind} has no name. Name it as the signal that is sent: letters, digits, '.', '_' and '-'.");
            return null;
        }

        var text = expressions.Name(declared, name, $"The name of the {kind}");
        if (text is not null && (text.Length > StoreLimits.MaxName || Usable(text) != text))
        {
            findings.Add(declared, name.Line, name.Column,
                $"The {kind} '{BpmnExpressions.Shown(text)}' cannot be the name of a signal. Use 1 to "
                    + $"{StoreLimits.MaxName} letters A-Z a-z, digits, '.', '_' and '-', e.g. '{Usable(text)}'.");
            return null;
        }

        return text;
    }

    private static string Usable(string text) =>
        string.Concat(text.Take(StoreLimits.MaxName)
            .Select(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-' ? c : '-'));

    /// <summary>Publishes an integration event by the name of a message or signal.</summary>
    public void Raise(FlowNode node, BpmnElement element, BpmnElement reference)
    {
        var kind = reference.Is("signalEventDefinition") ? "signal" : "message";
        var name = Signal(reference, kind, out var declared);
        var step = new JsonObject { ["type"] = "raise", ["event"] = name };
        node.Steps.Add(step);
        if (ExportedStep.Of(element, "raise") is { } exported)
        {
            ExportedStep.Overlay(step, exported);
            return;
        }

        if (declared is not null && file.IsCaught(kind, declared.Id!))
        {
            findings.Add(element, $"The {kind} '{name}' is caught in this file, but no step sends a signal to an "
                + "instance here. Let a "
                + "subscriber of the integration event send it (POST /signals), and give the event that is thrown a "
                + "name of its own.");
        }

        mappings.AddInput(step, "payload", mappings.Inputs(element));
        foreach (var output in mappings.Outputs(element))
        {
            findings.Add(output.Element, $"Nothing comes back from an event that is thrown, so '{output.Target}' is "
                + "not set. Remove the output.");
        }
    }

    public void Delay(FlowNode node, BpmnElement element, BpmnElement timer)
    {
        var step = new JsonObject { ["type"] = "delay" };
        node.Steps.Add(step);
        if (Timer(element, timer) is var (member, value))
        {
            step[member] = value;
        }
    }

    /// <summary>When a timer is due: duration or until, with its template.</summary>
    public (string Member, JsonNode Value)? Timer(BpmnElement element, BpmnElement timer)
    {
        var date = timer.Model("timeDate").FirstOrDefault();
        var part = timer.Model("timeDuration").FirstOrDefault() ?? date ?? timer.Model("timeCycle").FirstOrDefault();
        if (part is null)
        {
            findings.Add(timer, "The timer says no time. Give it a timeDuration, e.g. PT30S, or a timeDate, e.g. "
                + "2026-01-31T12:00:00Z.");
            return null;
        }

        var text = part.Text with { Value = part.Text.Value.Trim() };
        if (part.Is("timeCycle"))
        {
            // Once is what a catch event waits for; any other number would have to come from a start or a boundary
            // event.
            if (!text.Value.StartsWith("R1/P", StringComparison.Ordinal))
            {
                findings.Add(part, $"The cycle '{BpmnExpressions.Shown(text.Value)}' is not imported: this event "
                    + "happens once. Use a "
                    + "timeDuration, and an exclusive gateway that leads back where it is to be repeated.");
                return null;
            }

            text = text with { Value = text.Value[3..] };
        }

        if (BpmnExpressions.IsExpression(text.Value))
        {
            return expressions.Expression(part, text) is { } expression
                ? (date is null ? "duration" : "until", expression)
                : null;
        }

        string? problem;
        if (date is null
            ? IsoDuration.TryParse(text.Value, out _, out problem)
            : IsoInstant.TryParse(text.Value, out _, out problem))
        {
            return (date is null ? "duration" : "until", text.Value);
        }

        findings.Add(element, part.Line, part.Column, problem!);
        return null;
    }

    /// <summary>Fails the instance, with the error that an end event throws.</summary>
    public void Fail(FlowNode node, BpmnElement element, BpmnElement definition)
    {
        var id = definition.Attribute("errorRef");
        var declared = id is null ? null : file.Declared("error", id);
        if (id is not null && declared is null)
        {
            findings.Add(definition, Missing(definition, "error", id));
        }

        var code = declared?.AttributeText("errorCode");
        var text = element.Title ?? element.Id ?? "error";
        if (declared?.Title is { Length: > 0 } name)
        {
            text = name;
        }
        else if (code is { Value.Length: > 0 })
        {
            text = code.Value;
        }

        var message = declared?.AttributeText("errorMessage", BpmnNamespace.Camunda);
        var exported = ExportedStep.Of(element, "fail");
        var step = new JsonObject
        {
            ["type"] = "fail",
            ["error"] = message is null
                ? ExportedStep.Unchanged(exported, "error", text)
                : expressions.Value(declared!, message),
        };
        if (code is { Value.Length: > 0 })
        {
            step["code"] = exported is null
                && BpmnExpressions.IsExpression(code.Value) ? expressions.Expression(declared!, code)
                : ExportedStep.Unchanged(exported, "code", code.Value);
        }

        node.Steps.Add(step);
    }

    /// <summary>The end of a token; that of the process has every variable as its output.</summary>
    public void End(FlowNode node, BpmnElement? element, bool terminate)
    {
        var step = new JsonObject { ["type"] = "end" };
        if (terminate)
        {
            step["terminate"] = true;
            if (node.Area.Terminated is { } variable)
            {
                node.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = new JsonObject { [variable] = true } });
            }
        }

        node.Steps.Add(step);
        if (element is not null && ExportedStep.Of(element, "end") is { } exported)
        {
            ExportedStep.Overlay(step, exported);
        }
        else if (node.Area.IsProcess && OutputOfInstance is not null)
        {
            OutputOfInstance(step);
        }
        else if (node.Area.IsProcess)
        {
            mappings.AddInput(step, "output", []);
        }
    }

    /// <summary>
    /// Writes what one of several instances gives at its end; null where a process ends with every variable.
    /// </summary>
    public Action<JsonObject>? OutputOfInstance { get; init; }

    /// <summary>For an event that brings no data.</summary>
    public void RefuseData(BpmnElement element) => mappings.RefuseAll(element);
}
