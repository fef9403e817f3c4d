using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>
/// An activity with several instances: a step that calls a definition for each element. That is the called process
/// where nothing comes back from it, else a definition of its own, which does what one instance does.
/// </summary>
internal sealed class LoopedActivity : LoopedElement
{
    private readonly BpmnElement _loop;
    private readonly FindingList _findings;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;
    private readonly BpmnCalls _calls;
    private readonly FlowNode _body;
    private readonly JsonObject _step = new() { ["type"] = "callEach" };
    private readonly LoopElements _elements;
    private readonly List<BpmnMapping> _outputs;

    private readonly bool _gives;
    private string? _output;
    private IReadOnlyList<string> _shared = [];

    public LoopedActivity(
        BpmnFile file, BpmnElement process, string name, BpmnExpressions around, FlowNode node, BpmnElement loop,
        FindingList findings)
        : base(node.Source, name)
    {
        (_loop, _findings) = (loop, findings);
        _expressions = new(file, findings);
        _mappings = new(_expressions, findings);
        _calls = new(file, _expressions, _mappings, findings);
        _body = new FlowNode(node.Key, NodeKind.Sequence, node.Source, node.Area);
        node.Steps.Add(_step);
        _elements = new(file, process, loop, _step, node.Key, findings);
        _outputs = _mappings.Outputs(node.Source);
        var inputs = node.Source.Is("userTask") ? [] : _mappings.Inputs(node.Source);
        _elements.Locals.UnionWith(inputs.Select(input => input.Target));
        ReadActivity(new BpmnSteps(file, _expressions, _mappings, findings));
        _gives = !node.Source.Is("callActivity") || _body.Steps.Count > 1;
        ReadResults(inputs);
        around.Variables.UnionWith(_elements.Variables);
        _elements.ReadCondition(around);
        around.Variables.UnionWith(_expressions.Variables.Where(name =>
            name != _elements.Item && name != _elements.OutputVariable && name != LoopElements.Counter));
        if (_elements.Results is not null)
        {
            around.Variables.Add(_elements.Results);
        }
    }

    public override IReadOnlyCollection<string> CalledWithAll => _calls.CalledWithAll;

    private bool IsCamunda7 => _expressions.Dialect == BpmnDialect.Camunda7;

    // The called process does everything that an instance does.
    private bool IsCall => Element.Is("callActivity") && !_gives && _elements.Results is null;

    public override void Finish(IReadOnlyList<string> variables)
    {
        // What an instance sees; the results, and what becomes one of them, are not those of the process.
        SortedSet<string> seen =
            new(variables.Concat(_expressions.Variables).Append(LoopElements.Counter), StringComparer.Ordinal);
        if (_elements.Item is { } item)
        {
            seen.Add(item);
        }

        seen.RemoveWhere(name => name == _elements.Results || name == _elements.OutputVariable);
        _elements.RefuseNumbers(seen);
        _mappings.Finish([.. seen]);
        if (IsCall)
        {
            var call = _body.Steps[0];
            _step["definition"] = call["definition"]?.DeepClone();
            _step["input"] = Counted(call["input"]?.DeepClone().AsObject() ?? []);
            if (call["version"] is { } version)
            {
                _step["version"] = version.DeepClone();
            }

            return;
        }

        _step["definition"] = Name;
        _step["input"] = _elements.Input(seen);
        if (_gives && _outputs.Count == 0)
        {
            _shared = [.. variables.Where(name => !_elements.Locals.Contains(name) && name != _elements.Results)];
            RefuseShared();
        }
    }

    public override IEnumerable<ImportedDefinition> ToDefinitions() =>
        !IsCall && ToDefinition() is { } definition ? [definition] : [];

    private ImportedDefinition? ToDefinition()
    {
        var ids = new FlowGraph();
        var body = _body.Steps.Where(step => step["type"]!.GetValue<string>() != "set" || step["values"] is not null)
            .ToList();
        if (_gives && (_output is not null || _shared.Count > 0))
        {
            body[0]["result"] = Payload;
        }

        var steps = new JsonObject();
        var (start, end) = (ids.Claim(_body.Key), ids.Claim($"{_body.Key}_end"));
        var keys = body.Select((_, i) => i == 0 ? start : ids.Claim($"{_body.Key}_{i + 1}")).ToList();
        var guard = _shared.Count > 0 ? ids.Claim($"{_body.Key}_gives") : end;
        for (var i = 0; i < body.Count; i++)
        {
            body[i]["next"] = i + 1 < body.Count ? keys[i + 1] : guard;
            steps[keys[i]] = body[i];
        }

        if (guard != end)
        {
            var fail = ids.Claim($"{_body.Key}_shared");
            steps[guard] = Guard(end, fail);
            steps[fail] = LoopElements.Refusal(Element);
        }

        steps[end] = _output is null
            ? new JsonObject { ["type"] = "end" }
            : new JsonObject { ["type"] = "end", ["output"] = _output };
        foreach (var step in steps)
        {
            DefinitionWriter.Describe(step.Value!.AsObject(), Element);
        }

        var written = new JsonObject { ["name"] = Name, ["version"] = 1, ["start"] = start, ["steps"] = steps };
        DefinitionWriter.Describe(written, Element);
        return ImportedDefinition.Of(written, _ => Element, "The ids of the process and of the activity become the "
            + "name of what each instance does.", _findings, [], isBody: true);
    }

    private string Payload => BpmnMappings.VariableOf(_body.Key, "payload");

    private void ReadActivity(BpmnSteps steps)
    {
        if (Element.Is("callActivity"))
        {
            _calls.Call(_body, Element);
        }
        else if (Element.Is("userTask"))
        {
            steps.User(_body, Element);
        }
        else if (!steps.Invoke(_body, Element))
        {
            _findings.Add(Element, $"The {Element.Kind} with several instances names no activity. Give it "
                + "zeebe:taskDefinition "
                + "type=\"…\", camunda:type=\"external\" with camunda:topic=\"…\", or implementation=\"…\".");
        }

        foreach (var part in Element.Extensions.Where(part => part.Kind is "out" or "outputMapping"))
        {
            RefuseOutput(part, part.Attribute("target") ?? "all");
        }
    }

    private void RefuseOutput(BpmnElement at, string target) => _findings.Add(at,
        $"Each of several instances would set '{BpmnExpressions.Shown(target)}' of the process, and the last one would "
            + "win. "
        + (_expressions.Dialect == BpmnDialect.Camunda8
            ? $"Collect them: outputCollection=\"results\" outputElement=\"= {target}\"."
            : "Remove it; what each gives is collected by zeebe:loopCharacteristics of Camunda 8, or by a callEach "
                + "step of a definition in JSON."));

    private void ReadResults(List<BpmnMapping> inputs)
    {
        var expression = _elements.ReadResults(_expressions);
        foreach (var mapping in _outputs.Where(mapping => IsCamunda7 || !_elements.Locals.Contains(mapping.Target)))
        {
            RefuseOutput(mapping.Element, mapping.Target);
        }

        _elements.RefuseReadOfResults(_expressions);
        if (expression is not null)
        {
            _output = Output(expression, _mappings.TextsOf(inputs));
        }

        if (_outputs.Count == 0 && _body.Steps.Count > 1)
        {
            // Those that set variables of the process.
            _body.Steps.RemoveRange(1, _body.Steps.Count - 1);
        }
    }

    // A result reads what the activity brings, then the instance's own variables, then those of the process.
    private string? Output(string expression, Dictionary<string, string> own)
    {
        var isKnown = true;
        var what = $"The result '{BpmnExpressions.Shown(expression)}'";
        const string Unclear = "which of its names the activity brings is not clear. Write one name, e.g. "
            + "outputElement=\"= result\", "
            + "and map what is brought to it: zeebe:output source=\"= result\" target=\"result\".";
        var output = _expressions.Over(_loop, expression, name =>
        {
            isKnown &= _gives || name != _elements.OutputVariable || own.ContainsKey(name);
            isKnown &= !_gives || _outputs.Count > 0 || _elements.Locals.Contains(name);
            var otherwise = own.GetValueOrDefault(name, name);
            if (_outputs.Exists(mapping => mapping.Target == name))
            {
                return name;
            }

            return _gives ? $"coalesce({Payload}.{name}, {otherwise})" : otherwise;
        }, what);
        if (output is not null && !isKnown)
        {
            _findings.Add(_loop, $"{what} is not imported: {Unclear}");
        }

        return output;
    }

    // People enter variables of the process, and what each of them enters is for nobody to see here.
    private void RefuseShared()
    {
        var entered = _shared.Where(name => !_elements.Variables.Contains(name)).ToList();
        if (Element.Is("userTask") && _elements.OutputVariable is null && entered.Count > 0)
        {
            _findings.Add(_loop, "Each of several instances may set variables of the process "
                + $"({string.Join(", ", entered.Take(5))}), and "
                + "the last one would win. " + (_expressions.Dialect == BpmnDialect.Camunda8
                    ? "Collect what is entered: outputCollection=\"results\" outputElement=\"= result\"."
                    : "Make the task a process of its own, and call it by a multi-instance call activity without "
                        + "camunda:out."));
        }
    }

    private JsonObject Guard(string end, string fail) => new()
    {
        ["type"] = "decide",
        ["cases"] = new JsonArray([.. _shared.Select(name => new JsonObject
        {
            ["when"] = LoopElements.Changes(Payload, name), ["next"] = fail,
        })]),
        ["otherwise"] = end,
    };

    // Camunda 7 counts from 0.
    private JsonObject Counted(JsonObject input)
    {
        foreach (var (name, value) in IsCamunda7 ? input.ToList() : [])
        {
            if (value is JsonValue && value.ToString() is ['=', ..] expression
                && ExpressionCompiler.TryCompile(expression, out var compiled, out _)
                && compiled.Variables.Contains(LoopElements.Counter))
            {
                input[name] = _expressions.Over(_loop, expression,
                    read => read == LoopElements.Counter ? $"({_elements.Index} - 1)" : read, $"The input of '{name}'");
            }
        }

        return input;
    }
}
