using System.Globalization;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>The activities of a process that have several instances.</summary>
internal sealed class BpmnLoops(BpmnFile file, BpmnElement process, BpmnExpressions expressions, FindingList findings)
{
    private readonly List<LoopedActivity> _activities = [];

    public IReadOnlyList<LoopedActivity> Activities => _activities;

    /// <returns>False where the element has one instance, or is refused elsewhere.</returns>
    public bool Read(FlowNode node, BpmnElement element)
    {
        if (element.Children.Find(part => part.Is(ElementLoop.Kind)) is not { } loop || !Covers(element)
            || ExportedStep.Find(element) is not null)
        {
            return false;
        }

        _activities.Add(new LoopedActivity(file, process, expressions, node, loop, findings));
        return true;
    }

    /// <summary>Whether several instances of such an element are imported.</summary>
    public static bool Covers(BpmnElement element) => ExportedStep.Find(element) is null
        ? element.Kind is "callActivity" or "serviceTask" or "sendTask" or "userTask"
        : ExportedStep.Of(element, "callEach") is not null;
}

/// <summary>How many instances of an activity there are, of which elements, and whether they run one after the other.</summary>
internal sealed class LoopElements
{
    /// <summary>The variable of each instance that has its number.</summary>
    public const string Counter = "loopCounter";

    private readonly BpmnElement _process;
    private readonly BpmnElement _loop;
    private readonly FindingList _findings;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;

    /// <param name="step">Takes the members that say so.</param>
    /// <param name="key">The id of the step.</param>
    public LoopElements(BpmnDialect dialect, BpmnElement process, BpmnElement loop, JsonObject step, string key, FindingList findings)
    {
        (_process, _loop, _findings) = (process, loop, findings);
        _expressions = new(dialect, findings);
        _mappings = new(_expressions, findings);
        IsSequential = loop.Attribute("isSequential") is "true" or "1";
        Index = dialect == BpmnDialect.Camunda7 ? BpmnMappings.VariableOf(key, "number") : Counter;
        CheckParts();
        Read(step, key);
    }

    public bool IsSequential { get; }

    /// <summary>What the step calls the number, which Camunda 7 counts from 0 and the others from 1.</summary>
    public string Index { get; }

    /// <summary>The variable of each instance that has its element; null where none has.</summary>
    public string? Item { get; private set; }

    /// <summary>What the number of instances depends on.</summary>
    public SortedSet<string> Variables => _expressions.Variables;

    private void CheckParts()
    {
        BpmnRules.Check(_loop, _findings);
        var isCamunda8 = _expressions.Dialect == BpmnDialect.Camunda8;
        foreach (var part in _loop.Children.Where(part => part.Namespace == BpmnNamespace.Model
            && part.Kind is not ("extensionElements" or "documentation" or "completionCondition")
            && (isCamunda8 || part.Kind is not ("loopCardinality" or "loopDataInputRef" or "inputDataItem"))))
        {
            _findings.Add(part, $"'{BpmnExpressions.Shown(part.Kind)}' of a multi-instance activity is not imported. " + (isCamunda8
                ? "Use zeebe:loopCharacteristics with inputCollection, inputElement, outputCollection and outputElement."
                : "Use a collection or a loopCardinality, and a completionCondition."));
        }

        if ((_loop.Attribute("behavior") ?? "All") != "All")
        {
            _findings.Add(_loop, "Events of single instances (behavior) are not imported. Remove the attribute, and use boundary events.");
        }
    }

    private void Read(JsonObject step, string key)
    {
        if (IsSequential)
        {
            step["maxConcurrency"] = 1;
        }

        var zeebe = _loop.Extension("loopCharacteristics", BpmnNamespace.Zeebe);
        var reference = _loop.Model("loopDataInputRef").FirstOrDefault()?.Text;
        var count = _loop.Model("loopCardinality").FirstOrDefault()?.Text;
        List<BpmnText> lists = [.. new[]
        {
            zeebe?.AttributeText("inputCollection"), _loop.AttributeText("collection", BpmnNamespace.Camunda), reference,
        }.OfType<BpmnText>()];
        if (lists.Count + (count is null ? 0 : 1) != 1)
        {
            _findings.Add(_loop, "A multi-instance activity needs one list, or one number: zeebe:loopCharacteristics "
                + "inputCollection=\"= lines\", camunda:collection=\"lines\", or a loopCardinality. Keep one of them.");
            return;
        }

        step["index"] = Index;
        var item = zeebe?.Attribute("inputElement") ?? _loop.Attribute("elementVariable", BpmnNamespace.Camunda)
            ?? _loop.Model("inputDataItem").FirstOrDefault()?.Title;
        Item = item is not null && _mappings.IsTarget(_loop, item) ? item : null;
        if (count is not null)
        {
            step["count"] = Count(count with { Value = count.Value.Trim() });
            if (item is not null)
            {
                _findings.Add(_loop, $"The element '{BpmnExpressions.Shown(item)}' belongs to a collection, but there is only a "
                    + "number. Give it a collection, or remove the element.");
            }

            return;
        }

        step["items"] = List(lists[0], isName: zeebe is null);
        step["item"] = Item ?? BpmnMappings.VariableOf(key, "item");
    }

    private JsonNode? Count(BpmnText count)
    {
        if (int.TryParse(count.Value, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
        {
            return number;
        }

        if (BpmnExpressions.IsExpression(count.Value) || _expressions.Dialect == BpmnDialect.Plain)
        {
            return BpmnExpressions.IsExpression(count.Value) ? _expressions.Expression(_loop, count)
                : _expressions.Feel(_loop, count, 0, count.Value);
        }

        _findings.Add(_loop, count.Line, count.Column, $"'{BpmnExpressions.Shown(count.Value)}' is no number of instances. Write one, "
            + "e.g. 3, or an expression, e.g. ${copies}.");
        return null;
    }

    // Camunda 7 and the standard name a variable; what stands in the file is none.
    private JsonNode? List(BpmnText given, bool isName)
    {
        var text = given with { Value = given.Value.Trim() };
        if (BpmnExpressions.IsExpression(text.Value))
        {
            return _expressions.Expression(_loop, text);
        }

        if (!isName || _process.All.Any(other => other.Id == text.Value))
        {
            _findings.Add(_loop, text.Line, text.Column, $"'{BpmnExpressions.Shown(text.Value)}' names no list. Write an expression, e.g. "
                + "= lines, or the name of a variable that has it.");
            return null;
        }

        if (!_mappings.IsTarget(_loop, text.Value))
        {
            return null;
        }

        _expressions.Variables.Add(text.Value);
        return $"= {BpmnMappings.Written(text.Value)}";
    }
}

/// <summary>
/// An activity with several instances: a step that calls a definition for each element. That is the called process where nothing comes back
/// from it, else a definition of its own, which does what one instance does.
/// </summary>
internal sealed partial class LoopedActivity
{
    private const string InstancesOfCamunda7 = "nrOfInstances";
    private const string CompletedOfCamunda7 = "nrOfCompletedInstances";
    private const string ActiveOfCamunda7 = "nrOfActiveInstances";

    /// <summary>What a completion condition sees here beside the variables of the process.</summary>
    private static readonly HashSet<string> Attributes =
    [
        "numberOfInstances", "numberOfActiveInstances", "numberOfCompletedInstances", "numberOfTerminatedInstances", "results",
    ];

    private readonly BpmnElement _process;
    private readonly BpmnElement _loop;
    private readonly FindingList _findings;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;
    private readonly BpmnCalls _calls;
    private readonly FlowNode _body;
    private readonly JsonObject _step = new() { ["type"] = "callEach" };
    private readonly LoopElements _elements;
    private readonly List<BpmnMapping> _outputs;

    /// <summary>Variables that each instance has of its own.</summary>
    private readonly HashSet<string> _locals = new(StringComparer.Ordinal) { LoopElements.Counter };

    private readonly bool _gives;
    private string? _results;
    private string? _outputVariable;
    private string? _output;
    private IReadOnlyList<string> _shared = [];

    public LoopedActivity(
        BpmnFile file, BpmnElement process, BpmnExpressions around, FlowNode node, BpmnElement loop, FindingList findings)
    {
        (_process, _loop, _findings) = (process, loop, findings);
        _expressions = new(file.Dialect, findings);
        _mappings = new(_expressions, findings);
        _calls = new(file, _expressions, _mappings, findings);
        _body = new FlowNode(node.Key, NodeKind.Sequence, node.Source, node.Area);
        node.Steps.Add(_step);
        _elements = new(file.Dialect, process, loop, _step, node.Key, findings);
        if (_elements.Item is { } item)
        {
            _locals.Add(item);
        }

        _outputs = _mappings.Outputs(node.Source);
        var inputs = node.Source.Is("userTask") ? [] : _mappings.Inputs(node.Source);
        _locals.UnionWith(inputs.Select(input => input.Target));
        ReadActivity(new BpmnSteps(file, _expressions, _mappings, findings));
        _gives = !node.Source.Is("callActivity") || _body.Steps.Count > 1;
        ReadResults(inputs);
        around.Variables.UnionWith(_elements.Variables);
        ReadCondition(around);
        around.Variables.UnionWith(_expressions.Variables.Where(name =>
            name != _elements.Item && name != _outputVariable && name != LoopElements.Counter));
        if (_results is not null)
        {
            around.Variables.Add(_results);
        }

        if (file.Processes.Any(other => other.Id == Name))
        {
            findings.Add(node.Source, $"What each of its instances does would be the definition '{Name}', which is also a process of the "
                + "file. Give one of them another id.");
        }
    }

    public BpmnElement Element => _body.Source;

    /// <summary>The definition of one instance.</summary>
    public string Name => $"{_process.Id}_{_body.Key}";

    /// <summary>The processes that are called with every variable of this one.</summary>
    public IReadOnlyList<string> CalledWithAll => _calls.CalledWithAll;

    private bool IsCamunda7 => _expressions.Dialect == BpmnDialect.Camunda7;

    // The called process does everything that an instance does.
    private bool IsCall => Element.Is("callActivity") && !_gives && _results is null;

    /// <summary>Completes the step, once the variables of the process are known.</summary>
    public void Finish(IReadOnlyList<string> variables)
    {
        // What an instance sees; the results, and what becomes one of them, are not those of the process.
        SortedSet<string> seen = new(variables.Concat(_expressions.Variables).Append(LoopElements.Counter), StringComparer.Ordinal);
        if (_elements.Item is { } item)
        {
            seen.Add(item);
        }

        seen.RemoveWhere(name => name == _results || name == _outputVariable);
        foreach (var name in seen.Where(name => IsCamunda7
            && name is InstancesOfCamunda7 or CompletedOfCamunda7 or ActiveOfCamunda7))
        {
            _findings.Add(_loop, $"'{name}' is read here by completion conditions only. Give the instances the size of the collection as a "
                + "variable, set in a script task before.");
        }

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
        _step["input"] = new JsonObject(seen.Select(name => KeyValuePair.Create<string, JsonNode?>(
            name, IsCamunda7 && name == LoopElements.Counter ? $"= {_elements.Index} - 1" : $"= {BpmnMappings.Written(name)}")));
        if (_gives && _outputs.Count == 0)
        {
            _shared = [.. variables.Where(name => !_locals.Contains(name) && name != _results)];
            RefuseShared();
        }
    }

    /// <summary>What one instance does; null where that is the called process.</summary>
    public ImportedDefinition? ToDefinition()
    {
        if (IsCall)
        {
            return null;
        }

        var ids = new FlowGraph();
        var body = _body.Steps.Where(step => step["type"]!.GetValue<string>() != "set" || step["values"] is not null).ToList();
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
            steps[fail] = new JsonObject
            {
                ["type"] = "fail",
                ["error"] = $"One of several instances of {Element.Kind} '{BpmnExpressions.Shown(Element.Id!)}' gives another value to a "
                    + "variable of the process, where the last of them would win. Let it give other names, and collect them.",
            };
        }

        steps[end] = _output is null ? new JsonObject { ["type"] = "end" } : new JsonObject { ["type"] = "end", ["output"] = _output };
        foreach (var step in steps)
        {
            DefinitionWriter.Describe(step.Value!.AsObject(), Element);
        }

        var written = new JsonObject { ["name"] = Name, ["version"] = 1, ["start"] = start, ["steps"] = steps };
        DefinitionWriter.Describe(written, Element);
        return ImportedDefinition.Of(written, _ => Element, "The ids of the process and of the activity become the name of what each "
            + "instance does.", _findings);
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
            _findings.Add(Element, $"The {Element.Kind} with several instances names no activity. Give it zeebe:taskDefinition "
                + "type=\"…\", camunda:type=\"external\" with camunda:topic=\"…\", or implementation=\"…\".");
        }

        foreach (var part in Element.Extensions.Where(part => part.Kind is "out" or "outputMapping"))
        {
            RefuseOutput(part, part.Attribute("target") ?? "all");
        }
    }

    private void RefuseOutput(BpmnElement at, string target) => _findings.Add(at,
        $"Each of several instances would set '{BpmnExpressions.Shown(target)}' of the process, and the last one would win. "
        + (_expressions.Dialect == BpmnDialect.Camunda8
            ? $"Collect them: outputCollection=\"results\" outputElement=\"= {target}\"."
            : "Remove it; what each gives is collected by zeebe:loopCharacteristics of Camunda 8, or by a callEach step of a definition "
                + "in JSON."));

    private void ReadResults(List<BpmnMapping> inputs)
    {
        var zeebe = _loop.Extension("loopCharacteristics", BpmnNamespace.Zeebe);
        _results = zeebe?.Attribute("outputCollection");
        var output = zeebe?.AttributeText("outputElement");
        if ((_results is null) != (output is null) || (output is not null && !BpmnExpressions.IsExpression(output.Value)))
        {
            _findings.Add(_loop, "outputCollection names the variable that takes the results, and outputElement is the expression for each "
                + "of them. Give both, e.g. outputCollection=\"results\" outputElement=\"= result\", or none.");
            return;
        }

        var expression = output is null ? null : _expressions.Expression(_loop, output);
        if (expression is not null && _mappings.IsTarget(_loop, _results))
        {
            _step["result"] = _results;

            // Camunda 8 makes it a variable of each instance's own, where the expression is nothing but its name and members.
            _outputVariable = Path().Match(expression) is { Success: true } path ? path.Groups["name"].Value : null;
        }

        if (_outputVariable is not null && _outputVariable == _elements.Item)
        {
            _findings.Add(_loop, $"Element and result of an instance have the same name '{_outputVariable}'. Give one of them another.");
        }

        if (_outputVariable is not null)
        {
            _locals.Add(_outputVariable);
        }

        foreach (var mapping in _outputs.Where(mapping => IsCamunda7 || !_locals.Contains(mapping.Target)))
        {
            RefuseOutput(mapping.Element, mapping.Target);
        }

        if (_results is not null && _expressions.Variables.Contains(_results))
        {
            _findings.Add(_loop, $"An instance reads '{_results}', into which its results are collected. Give the collection another "
                + "name.");
        }

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
        var output = BpmnExpressions.Over(expression, name =>
        {
            isKnown &= _gives || name != _outputVariable || own.ContainsKey(name);
            isKnown &= !_gives || _outputs.Count > 0 || _locals.Contains(name);
            var otherwise = own.GetValueOrDefault(name, name);
            return _outputs.Exists(mapping => mapping.Target == name) ? name
                : _gives ? $"coalesce({Payload}.{name}, {otherwise})" : otherwise;
        });
        if (output is null || !isKnown)
        {
            _findings.Add(_loop, $"The result '{BpmnExpressions.Shown(expression)}' is not imported: which of its names the activity "
                + "brings is not clear. Write one name, e.g. outputElement=\"= result\", and map what is brought to it: zeebe:output "
                + "source=\"= result\" target=\"result\".");
        }

        return output;
    }

    private void ReadCondition(BpmnExpressions around)
    {
        if (_loop.Model("completionCondition").FirstOrDefault() is not { } condition)
        {
            return;
        }

        var read = new BpmnExpressions(_expressions.Dialect, _findings);
        if (read.Condition(condition) is not { } text)
        {
            return;
        }

        foreach (var name in read.Variables.Where(name => _locals.Contains(name)
            || (Attributes.Contains(name) && name != _results && (IsCamunda7 || name == "results"))))
        {
            _findings.Add(condition, _locals.Contains(name)
                ? $"The condition reads '{name}' of a single instance. Only variables of the process, the numbers of instances and the "
                    + "collected results are read here."
                : $"'{name}' has a meaning of its own in a completion condition here. Give the variable another name.");
        }

        var ours = read.Variables.All(name => Ours(name) == name) ? text : BpmnExpressions.Over(text, Ours);
        if (ours is null)
        {
            _findings.Add(condition, $"The condition '{BpmnExpressions.Shown(text)}' is not imported: which of its words are names is not "
                + "clear. Use names of letters, digits and '_'.");
            return;
        }

        _step["completionCondition"] = ours;
        around.Variables.UnionWith(read.Variables.Where(name => Ours(name) == name && !Attributes.Contains(name)));

        string Ours(string name) => name == _results ? "results" : !IsCamunda7 ? name : name switch
        {
            InstancesOfCamunda7 => "numberOfInstances",
            CompletedOfCamunda7 => "numberOfCompletedInstances",

            // One after the other: Camunda 7 counts the one that has just ended.
            ActiveOfCamunda7 => _elements.IsSequential ? "1" : "numberOfActiveInstances",
            _ => name,
        };
    }

    // People enter variables of the process, and what each of them enters is for nobody to see here.
    private void RefuseShared()
    {
        var entered = _shared.Where(name => !_elements.Variables.Contains(name)).ToList();
        if (Element.Is("userTask") && _outputVariable is null && entered.Count > 0)
        {
            _findings.Add(_loop, $"Each of several instances may set variables of the process ({string.Join(", ", entered.Take(5))}), and "
                + "the last one would win. " + (_expressions.Dialect == BpmnDialect.Camunda8
                    ? "Collect what is entered: outputCollection=\"results\" outputElement=\"= result\"."
                    : "Make the task a process of its own, and call it by a multi-instance call activity without camunda:out."));
        }
    }

    // A variable of the process with the same value is none that anybody misses.
    private JsonObject Guard(string end, string fail) => new()
    {
        ["type"] = "decide",
        ["cases"] = new JsonArray([.. _shared.Select(name => new JsonObject
        {
            ["when"] = $"= {Payload}.{name} != null and not(coalesce({Payload}.{name} = {BpmnMappings.Written(name)}, false))",
            ["next"] = fail,
        })]),
        ["otherwise"] = end,
    };

    // Camunda 7 counts from 0.
    private JsonObject Counted(JsonObject input)
    {
        foreach (var (name, value) in IsCamunda7 ? input.ToList() : [])
        {
            if (value is JsonValue && value.ToString() is ['=', ..] expression
                && ExpressionCompiler.TryCompile(expression, out var compiled, out _) && compiled.Variables.Contains(LoopElements.Counter))
            {
                var counted = BpmnExpressions.Over(
                    expression, read => read == LoopElements.Counter ? $"({_elements.Index} - 1)" : read);
                input[name] = counted;
                if (counted is null)
                {
                    _findings.Add(_loop, $"The input of '{name}' is not imported: whether it reads {LoopElements.Counter} is not "
                        + "clear. Use names of letters, digits and '_'.");
                }
            }
        }

        return input;
    }

    [GeneratedRegex(@"^=\s*(?<name>[\p{L}_][\p{L}\p{Nd}_]*)(\s*\.\s*[\p{L}_][\p{L}\p{Nd}_]*)*\s*$")]
    private static partial Regex Path();
}
