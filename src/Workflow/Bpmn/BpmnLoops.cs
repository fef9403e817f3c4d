using System.Text.RegularExpressions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>The activities of a process that have several instances.</summary>
/// <param name="name">The name of the definition that they become steps of.</param>
internal sealed class BpmnLoops(BpmnFile file, BpmnElement process, string name, BpmnExpressions expressions, FindingList findings)
{
    private readonly List<LoopedElement> _activities = [];

    public IReadOnlyList<LoopedElement> Activities => _activities;

    /// <returns>False where the element has one instance, or is refused elsewhere.</returns>
    public bool Read(FlowNode node, BpmnElement element)
    {
        if (!Reads(element))
        {
            return false;
        }

        var loop = element.Children.Find(part => part.Is(ElementLoop.Kind))!;
        LoopedElement activity = element.Kind is "subProcess" or "scriptTask" or "receiveTask"
            ? new LoopedScope(file, process, $"{name}_{node.Key}", expressions, node, loop, findings)
            : new LoopedActivity(file, process, $"{name}_{node.Key}", expressions, node, loop, findings);
        _activities.Add(activity);
        if (file.Processes.Any(other => other.Id == activity.Name))
        {
            findings.Add(element, $"What each of its instances does would be the definition '{activity.Name}', which is also a process of "
                + "the file. Give one of them another id.");
        }

        return true;
    }

    /// <summary>Whether it has several instances that are imported.</summary>
    public static bool Reads(BpmnElement element) => element.Children.Exists(part => part.Is(ElementLoop.Kind)) && Covers(element)
        && ExportedStep.Find(element) is null;

    /// <summary>Whether several instances of such an element are imported.</summary>
    public static bool Covers(BpmnElement element) => ExportedStep.Find(element) is null
        ? element.Kind is "callActivity" or "serviceTask" or "sendTask" or "userTask" or "scriptTask" or "receiveTask"
            || (element.Is("subProcess") && !BpmnRules.IsEventSubProcess(element))
        : ExportedStep.Of(element, "callEach") is not null;
}

/// <summary>An activity with several instances: a step that calls a definition for each element.</summary>
internal abstract class LoopedElement(BpmnElement element, string name)
{
    public BpmnElement Element => element;

    /// <summary>The definition of one instance.</summary>
    public string Name => name;

    /// <summary>The processes that are called with every variable of this one.</summary>
    public abstract IReadOnlyCollection<string> CalledWithAll { get; }

    /// <summary>Completes the step, once the variables of the process are known.</summary>
    public abstract void Finish(IReadOnlyList<string> variables);

    /// <summary>What one instance does; empty where that is the called process.</summary>
    public abstract IEnumerable<ImportedDefinition> ToDefinitions();
}

/// <summary>How many instances of an activity there are, of which elements, and whether they run one after the other.</summary>
internal sealed partial class LoopElements
{
    /// <summary>The variable of each instance that has its number.</summary>
    public const string Counter = "loopCounter";

    private const string InstancesOfCamunda7 = "nrOfInstances";
    private const string CompletedOfCamunda7 = "nrOfCompletedInstances";
    private const string ActiveOfCamunda7 = "nrOfActiveInstances";

    /// <summary>What a completion condition sees here beside the variables of the process.</summary>
    private static readonly HashSet<string> Attributes =
    [
        "numberOfInstances", "numberOfActiveInstances", "numberOfCompletedInstances", "numberOfTerminatedInstances", "results",
    ];

    private readonly JsonObject _step;

    private readonly BpmnFile _file;
    private readonly BpmnElement _process;
    private readonly BpmnElement _loop;
    private readonly FindingList _findings;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;

    /// <param name="step">Takes the members that say so.</param>
    /// <param name="key">The id of the step.</param>
    public LoopElements(BpmnFile file, BpmnElement process, BpmnElement loop, JsonObject step, string key, FindingList findings)
    {
        (_file, _process, _loop, _step, _findings) = (file, process, loop, step, findings);
        _expressions = new(file, findings);
        _mappings = new(_expressions, findings);
        IsSequential = loop.Flag("isSequential");
        Index = file.Dialect == BpmnDialect.Camunda7 ? BpmnMappings.VariableOf(key, "number") : Counter;
        CheckParts();
        Read(step, key);
        if (Item is { } item)
        {
            Locals.Add(item);
        }
    }

    /// <summary>Variables that each instance has of its own.</summary>
    public HashSet<string> Locals { get; } = new(StringComparer.Ordinal) { Counter };

    /// <summary>The variable that takes the results of all; null where none does.</summary>
    public string? Results { get; private set; }

    /// <summary>The variable of each instance that has its result; null where its result is computed.</summary>
    public string? OutputVariable { get; private set; }

    private bool IsCamunda7 => _expressions.Dialect == BpmnDialect.Camunda7;

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

    /// <summary>What each instance gives, and where these results are collected.</summary>
    /// <param name="inner">The expressions of an instance.</param>
    /// <returns>The expression; null where nothing is collected, or there is a finding.</returns>
    public string? ReadResults(BpmnExpressions inner)
    {
        var zeebe = _loop.Extension("loopCharacteristics", BpmnNamespace.Zeebe);
        Results = zeebe?.Attribute("outputCollection");
        var output = zeebe?.AttributeText("outputElement");
        if ((Results is null) != (output is null) || (output is not null && !BpmnExpressions.IsExpression(output.Value)))
        {
            _findings.Add(_loop, "outputCollection names the variable that takes the results, and outputElement is the expression for each "
                + "of them. Give both, e.g. outputCollection=\"results\" outputElement=\"= result\", or none.");
            return null;
        }

        var expression = output is null ? null : inner.Expression(_loop, output);
        if (expression is not null && _mappings.IsTarget(_loop, Results))
        {
            _step["result"] = Results;

            // Camunda 8 makes it a variable of each instance's own, where the expression is nothing but its name and members.
            OutputVariable = Path().Match(expression) is { Success: true } path ? path.Groups["name"].Value : null;
        }

        if (OutputVariable is not null && OutputVariable == Item)
        {
            _findings.Add(_loop, $"Element and result of an instance have the same name '{OutputVariable}'. Give one of them another.");
        }

        if (OutputVariable is not null)
        {
            Locals.Add(OutputVariable);
        }

        return expression;
    }

    /// <summary>An instance does not see what is collected of the others.</summary>
    public void RefuseReadOfResults(BpmnExpressions inner)
    {
        if (Results is not null && inner.Variables.Contains(Results))
        {
            _findings.Add(_loop, $"An instance reads '{Results}', into which its results are collected. Give the collection another "
                + "name.");
        }
    }

    /// <summary>The numbers of instances are no variables of an instance here.</summary>
    public void RefuseNumbers(IEnumerable<string> seen)
    {
        foreach (var name in seen.Where(name => name is InstancesOfCamunda7 or CompletedOfCamunda7 or ActiveOfCamunda7))
        {
            _findings.Add(_loop, $"'{name}' is read here by completion conditions only. Give the instances the size of the collection as a "
                + "variable, set in a script task before.");
        }
    }

    /// <summary>When the activity is over before its last instance.</summary>
    /// <param name="around">The expressions of the process.</param>
    public void ReadCondition(BpmnExpressions around)
    {
        if (_loop.Model("completionCondition").FirstOrDefault() is not { } condition)
        {
            return;
        }

        var read = new BpmnExpressions(_file, _findings);
        if (read.Condition(condition) is not { } text)
        {
            return;
        }

        foreach (var name in read.Variables.Where(name => Locals.Contains(name)
            || (Attributes.Contains(name) && name != Results && (IsCamunda7 || name == "results"))))
        {
            _findings.Add(condition, Locals.Contains(name)
                ? $"The condition reads '{name}' of a single instance. Only variables of the process, the numbers of instances and the "
                    + "collected results are read here."
                : $"'{name}' has a meaning of its own in a completion condition here. Give the variable another name.");
        }

        var ours = read.Variables.All(name => Ours(name) == name) ? text
            : read.Over(condition, text, Ours, $"The condition '{BpmnExpressions.Shown(text)}'",
                "which of its words are names is not clear. Use names of letters, digits and '_'.");
        if (ours is null)
        {
            return;
        }

        _step["completionCondition"] = ours;
        around.Variables.UnionWith(read.Variables.Where(name => Ours(name) == name && !Attributes.Contains(name)));

        // A plain file may come of Camunda 7, or of what that came of.
        string Ours(string name) => name == Results ? "results" : _expressions.Dialect == BpmnDialect.Camunda8 ? name : name switch
        {
            InstancesOfCamunda7 => "numberOfInstances",
            CompletedOfCamunda7 => "numberOfCompletedInstances",

            // One after the other: Camunda 7 counts the one that has just ended.
            ActiveOfCamunda7 => IsSequential ? "1" : "numberOfActiveInstances",
            _ => name,
        };
    }

    /// <summary>The first variables of an instance: each of these names, the number as the dialect counts it.</summary>
    public JsonObject Input(IEnumerable<string> names) => new(names.Select(name => KeyValuePair.Create<string, JsonNode?>(
        name, IsCamunda7 && name == Counter ? $"= {Index} - 1" : $"= {BpmnMappings.Written(name)}")));

    /// <summary>Whether what an instance was given changes a variable of the process. The same value is none that anybody misses.</summary>
    public static string Changes(string payload, string name) =>
        $"= {payload}.{name} != null and not(coalesce({payload}.{name} = {BpmnMappings.Written(name)}, false))";

    /// <summary>Fails an instance that would change a variable of the process.</summary>
    public static JsonObject Refusal(BpmnElement element) => new()
    {
        ["type"] = "fail",
        ["error"] = $"One of several instances of {element.Kind} '{BpmnExpressions.Shown(element.Id!)}' gives another value to a "
            + "variable of the process, where the last of them would win. Let it give other names, and collect them.",
    };

    [GeneratedRegex(@"^=\s*(?<name>[\p{L}_][\p{L}\p{Nd}_]*)(\s*\.\s*[\p{L}_][\p{L}\p{Nd}_]*)*\s*$")]
    private static partial Regex Path();
}

/// <summary>
/// An activity with several instances: a step that calls a definition for each element. That is the called process where nothing comes back
/// from it, else a definition of its own, which does what one instance does.
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
        BpmnFile file, BpmnElement process, string name, BpmnExpressions around, FlowNode node, BpmnElement loop, FindingList findings)
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
        SortedSet<string> seen = new(variables.Concat(_expressions.Variables).Append(LoopElements.Counter), StringComparer.Ordinal);
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
            steps[fail] = LoopElements.Refusal(Element);
        }

        steps[end] = _output is null ? new JsonObject { ["type"] = "end" } : new JsonObject { ["type"] = "end", ["output"] = _output };
        foreach (var step in steps)
        {
            DefinitionWriter.Describe(step.Value!.AsObject(), Element);
        }

        var written = new JsonObject { ["name"] = Name, ["version"] = 1, ["start"] = start, ["steps"] = steps };
        DefinitionWriter.Describe(written, Element);
        return ImportedDefinition.Of(written, _ => Element, "The ids of the process and of the activity become the name of what each "
            + "instance does.", _findings, isBody: true);
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
        const string Unclear = "which of its names the activity brings is not clear. Write one name, e.g. outputElement=\"= result\", "
            + "and map what is brought to it: zeebe:output source=\"= result\" target=\"result\".";
        var output = _expressions.Over(_loop, expression, name =>
        {
            isKnown &= _gives || name != _elements.OutputVariable || own.ContainsKey(name);
            isKnown &= !_gives || _outputs.Count > 0 || _elements.Locals.Contains(name);
            var otherwise = own.GetValueOrDefault(name, name);
            return _outputs.Exists(mapping => mapping.Target == name) ? name
                : _gives ? $"coalesce({Payload}.{name}, {otherwise})" : otherwise;
        }, what, Unclear);
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
            _findings.Add(_loop, $"Each of several instances may set variables of the process ({string.Join(", ", entered.Take(5))}), and "
                + "the last one would win. " + (_expressions.Dialect == BpmnDialect.Camunda8
                    ? "Collect what is entered: outputCollection=\"results\" outputElement=\"= result\"."
                    : "Make the task a process of its own, and call it by a multi-instance call activity without camunda:out."));
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
                && ExpressionCompiler.TryCompile(expression, out var compiled, out _) && compiled.Variables.Contains(LoopElements.Counter))
            {
                input[name] = _expressions.Over(_loop, expression,
                    read => read == LoopElements.Counter ? $"({_elements.Index} - 1)" : read, $"The input of '{name}'",
                    $"whether it reads {LoopElements.Counter} is not clear. Use names of letters, digits and '_'.");
            }
        }

        return input;
    }
}

/// <summary>
/// A sub-process, script or receive task with several instances: what one of them does is a definition of its own, with variables of its
/// own. In BPMN they write variables of the process, so nothing that one writes may be read outside of it.
/// </summary>
internal sealed class LoopedScope : LoopedElement
{
    private readonly BpmnElement _loop;
    private readonly FindingList _findings;
    private readonly JsonObject _step = new() { ["type"] = "callEach" };
    private readonly LoopElements _elements;
    private readonly ProcessImport _body;
    private readonly SortedSet<string> _readByLoop;
    private readonly string? _output;
    private List<(string Variable, BpmnElement Element)> _own = [];

    public LoopedScope(
        BpmnFile file, BpmnElement process, string name, BpmnExpressions around, FlowNode node, BpmnElement loop, FindingList findings)
        : base(node.Source, name)
    {
        (_loop, _findings) = (loop, findings);
        node.Steps.Add(_step);
        _elements = new(file, process, loop, _step, node.Key, findings);
        var inner = new BpmnExpressions(file, findings);
        _output = _elements.ReadResults(inner);
        _readByLoop = inner.Variables;
        _body = new ProcessImport(file, process, node.Source, name, findings, this);
        around.Variables.UnionWith(_elements.Variables);
        _elements.ReadCondition(around);
        if (_elements.Results is not null)
        {
            around.Variables.Add(_elements.Results);
        }
    }

    public override IReadOnlyCollection<string> CalledWithAll => _body.CalledWithAll;

    /// <summary>What an instance names and does not have of its own.</summary>
    public IEnumerable<string> Named => _body.Named.Concat(_readByLoop).Where(name => !_elements.Locals.Contains(name));

    /// <summary>What is collected of an instance becomes the output of each of its ends.</summary>
    public void AddOutput(JsonObject end)
    {
        if (_output is not null)
        {
            end["output"] = _output;
        }
    }

    /// <summary>Finds what an instance writes, and that nothing outside of it reads that.</summary>
    /// <param name="outside">What is named outside.</param>
    /// <returns>What the process is to have for it.</returns>
    public IEnumerable<string> Separate(IReadOnlySet<string> outside, ProcessCalls calls)
    {
        var written = _body.Written.Where(one => !_elements.Locals.Contains(one.Variable)).ToList();
        foreach (var (variable, element) in written.Where(one => outside.Contains(one.Variable)))
        {
            _findings.Add(element, $"Each of several instances of '{BpmnExpressions.Shown(Element.Id!)}' would set '{variable}', which is "
                + "named outside of it, and the last one would win. " + (_loop.Extension("loopCharacteristics", BpmnNamespace.Zeebe) is null
                    ? "Give it another name inside; what each gives is collected by zeebe:loopCharacteristics of Camunda 8, or by a "
                        + "callEach step of a definition in JSON."
                    : $"Collect them: outputCollection=\"results\" outputElement=\"= {variable}\"."));
        }

        _own = [.. written.Where(one => !outside.Contains(one.Variable))];
        _body.Resolve(calls, new HashSet<string>([.. outside, .. _elements.Locals, .. _readByLoop], StringComparer.Ordinal));
        _elements.RefuseNumbers(Named);
        if (_elements.Results is { } results && Named.Contains(results))
        {
            _findings.Add(_loop, $"An instance reads '{results}', into which its results are collected. Give the collection another name.");
        }

        return Named.Where(name => !IsOwn(name));
    }

    /// <summary>Checks what one instance does, once the variables of the process are known.</summary>
    public void Complete(IReadOnlyList<string> variables, ProcessCalls calls)
    {
        var shared = variables.Where(name => !_elements.Locals.Contains(name) && !IsOwn(name) && name != _elements.Results);
        var given = variables.Where(name => name != _elements.Results).Concat(_elements.Locals).Concat(_own.Select(one => one.Variable));
        _body.Finish(calls, [.. given], [.. shared]);
    }

    public override void Finish(IReadOnlyList<string> variables)
    {
        SortedSet<string> seen = new(variables.Append(LoopElements.Counter), StringComparer.Ordinal);
        if (_elements.Item is { } item)
        {
            seen.Add(item);
        }

        seen.RemoveWhere(name => name == _elements.Results || name == _elements.OutputVariable || IsOwn(name));
        _step["definition"] = Name;
        _step["input"] = _elements.Input(seen);
    }

    public override IEnumerable<ImportedDefinition> ToDefinitions() => _body.ToDefinitions();

    /// <summary>Refuses what would be another instance's: a variable that is read before it is written, a signal without a key.</summary>
    public void Check(string start, JsonObject steps, IReadOnlyDictionary<string, BpmnElement> sources)
    {
        foreach (var (id, step) in steps)
        {
            var waits = EventsOf(step!).Where(one => one["signal"] is not null).ToList();
            if (waits.Exists(one => one["correlation"] is null)
                || (step!["type"]!.ToString() == "waitSignal" && step["correlation"] is null))
            {
                _findings.Add(sources[id], "It waits for a message or signal without a key, which is sent to an instance; but each of "
                    + $"several instances of '{BpmnExpressions.Shown(Element.Id!)}' is one of its own, which nobody outside knows. Give "
                    + "the message a key: zeebe:subscription correlationKey=\"= item.id\".");
            }
        }

        foreach (var variable in _own.Select(one => one.Variable).Distinct())
        {
            if (Follow(variable, start, null, steps).Reader is { } reader)
            {
                _findings.Add(sources[reader], $"It reads '{variable}' before this instance of '{BpmnExpressions.Shown(Element.Id!)}' has "
                    + "written it for certain, so it would read what another one wrote. Set it at the beginning of each instance.");
            }
        }
    }

    private bool IsOwn(string name) => _own.Exists(one => one.Variable == name);

    /// <summary>Follows every way on which nothing has written a variable.</summary>
    /// <param name="stop">The join of the branch that is followed; null outside of branches.</param>
    /// <returns>The first step that reads it, null where none does; and whether a way gets to the join, or to an end.</returns>
    private static (string? Reader, bool Passes) Follow(string variable, string start, string? stop, JsonObject steps)
    {
        var passes = false;
        HashSet<string> seen = [];
        var pending = new Queue<string>([start]);
        while (pending.TryDequeue(out var id))
        {
            if (id == stop)
            {
                passes = true;
                continue;
            }

            if (!seen.Add(id))
            {
                continue;
            }

            var step = steps[id]!.AsObject();
            var value = step["values"]?[variable];
            if (value?.ToString() == $"= {variable}"
                || (!IsMerge(value, variable) && Texts(step, variable).Any(text => Reads(text, variable))))
            {
                return (id, passes);
            }

            passes |= step["type"]!.ToString() == "end";
            var (reader, isWritten) = Inside(variable, step, steps);
            if (reader is not null)
            {
                return (reader, passes);
            }

            Onward(step, isWritten || value is not null || step["result"]?.ToString() == variable).ForEach(pending.Enqueue);
        }

        return (null, passes);
    }

    // A fork goes on when all of its branches have arrived, an inclusive one with any of them, a sub-process behind its last end.
    private static (string? Reader, bool IsWritten) Inside(string variable, JsonObject step, JsonObject steps)
    {
        List<string> branches =
        [
            .. (step["branches"]?.AsArray() ?? []).Select(branch => branch!.ToString()),
            .. step["join"] is not null && step["cases"] is JsonArray cases
                ? cases.Select(one => one!["next"]!.ToString()).Append(step["otherwise"]!.ToString()) : [],
            .. step["start"] is { } first ? [first.ToString()] : Array.Empty<string>(),
        ];
        if (branches.Count == 0)
        {
            return (null, false);
        }

        var followed = branches.Select(branch => Follow(variable, branch, step["join"]?.ToString(), steps)).ToList();
        return (followed.Find(branch => branch.Reader is not null).Reader, step["branches"] is null
            ? followed.TrueForAll(branch => !branch.Passes) : followed.Exists(branch => !branch.Passes));
    }

    /// <summary>Where a step leads; without where it goes on once it is done.</summary>
    private static List<string> Onward(JsonObject step, bool isWritten)
    {
        IEnumerable<string> done = isWritten ? [] : new[] { "next", "join" }.Select(member => step[member]?.ToString()).OfType<string>();
        IEnumerable<JsonObject> cases = step["join"] is null ? step["cases"]?.AsArray().OfType<JsonObject>() ?? [] : [];
        return
        [
            .. done, .. EventsOf(step).Concat(cases).Select(one => one["next"]!.ToString()),
            .. new[] { "onTimeout", "onError" }.Select(member => step[member]?.ToString()).OfType<string>(),
            .. step["join"] is null && step["otherwise"] is { } otherwise ? [otherwise.ToString()] : Array.Empty<string>(),
        ];
    }

    private static bool IsMerge(JsonNode? value, string variable) => value?.ToString() is { } text
        && text.StartsWith("= coalesce(", StringComparison.Ordinal)
        && text.EndsWith($"_payload.{variable}, {variable})", StringComparison.Ordinal);

    // An activity is given each variable by its name, whether it reads it or not.
    private static IEnumerable<string> Texts(JsonNode? node, string variable) => node switch
    {
        JsonObject members => members.Where(member => member.Value?.ToString() != $"= {variable}" || member.Key != variable)
            .SelectMany(member => Texts(member.Value, variable)),
        JsonArray list => list.SelectMany(item => Texts(item, variable)),
        JsonValue value when value.ToString() is ['=', ..] text => [text],
        _ => [],
    };

    private static bool Reads(string expression, string variable) => expression.Contains(variable, StringComparison.Ordinal)
        && ExpressionCompiler.TryCompile(expression, out var compiled, out _) && compiled.Variables.Contains(variable);

    private static IEnumerable<JsonObject> EventsOf(JsonNode step) =>
        (step["boundary"] ?? step["events"])?.AsArray().OfType<JsonObject>() ?? [];
}
