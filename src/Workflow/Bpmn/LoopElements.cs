using System.Text.RegularExpressions;

namespace Workflow.Bpmn;

/// <summary>
/// How many instances of an activity there are, of which elements, and whether they run one after the other.
/// </summary>
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
        "numberOfInstances", "numberOfActiveInstances", "numberOfCompletedInstances", "numberOfTerminatedInstances",
        "results",
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
    public LoopElements(
        BpmnFile file, BpmnElement process, BpmnElement loop, JsonObject step, string key, FindingList findings)
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
            _findings.Add(part,
                $"'{BpmnExpressions.Shown(part.Kind)}' of a multi-instance activity is not imported. " + (isCamunda8
                ? "Use zeebe:loopCharacteristics with inputCollection, inputElement, outputCollection and "
                    + "outputElement."
                : "Use a collection or a loopCardinality, and a completionCondition."));
        }

        if ((_loop.Attribute("behavior") ?? "All") != "All")
        {
            _findings.Add(_loop, "Events of single instances (behavior) are not imported. Remove the attribute, and "
                + "use boundary events.");
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
            zeebe?.AttributeText("inputCollection"), _loop.AttributeText("collection",
                BpmnNamespace.Camunda), reference,
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
                _findings.Add(_loop, $"The element '{BpmnExpressions.Shown(item)}' belongs to a collection, but there "
                    + "is only a number. Give it a collection, or remove the element.");
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

        _findings.Add(_loop, count.Line, count.Column, $"'{BpmnExpressions.Shown(count.Value)}' is no number of "
            + "instances. Write one, e.g. 3, or an expression, e.g. ${copies}.");
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
            _findings.Add(_loop, text.Line, text.Column, $"'{BpmnExpressions.Shown(text.Value)}' names no list. Write "
                + "an expression, e.g. = lines, or the name of a variable that has it.");
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
        if ((Results is null) != (output is null)
            || (output is not null && !BpmnExpressions.IsExpression(output.Value)))
        {
            _findings.Add(_loop, "outputCollection names the variable that takes the results, and outputElement is the "
                + "expression for each "
                + "of them. Give both, e.g. outputCollection=\"results\" outputElement=\"= result\", or none.");
            return null;
        }

        var expression = output is null ? null : inner.Expression(_loop, output);
        if (expression is not null && _mappings.IsTarget(_loop, Results))
        {
            _step["result"] = Results;

            // Camunda 8 makes it a variable of each instance's own, where the expression is nothing but its name and
            // members.
            OutputVariable = Path().Match(expression) is { Success: true } path ? path.Groups["name"].Value : null;
        }

        if (OutputVariable is not null && OutputVariable == Item)
        {
            _findings.Add(_loop,
                $"Element and result of an instance have the same name '{OutputVariable}'. Give one of them another.");
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
            _findings.Add(_loop, $"An instance reads '{Results}', into which its results are collected. Give the "
                + "collection another name.");
        }
    }

    /// <summary>The numbers of instances are no variables of an instance here.</summary>
    public void RefuseNumbers(IEnumerable<string> seen)
    {
        foreach (var name in seen.Where(name => name is InstancesOfCamunda7 or CompletedOfCamunda7 or ActiveOfCamunda7))
        {
            _findings.Add(_loop, $"'{name}' is read here by completion conditions only. Give the instances the size of "
                + "the collection as a variable, set in a script task before.");
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
                ? $"The condition reads '{name}' of a single instance. Only variables of the process, the numbers of "
                    + "instances and the collected results are read here."
                : $"'{name}' has a meaning of its own in a completion condition here. Give the variable another name.");
        }

        var ours = read.Variables.All(name => Ours(name) == name) ? text
            : read.Over(condition, text, Ours, $"The condition '{BpmnExpressions.Shown(text)}'");
        if (ours is null)
        {
            return;
        }

        _step["completionCondition"] = ours;
        around.Variables.UnionWith(read.Variables.Where(name => Ours(name) == name && !Attributes.Contains(name)));

        // A plain file may come of Camunda 7, or of what that came of.
        string Ours(string name) => name == Results ? "results" : OfAnyDialect(name);

        string OfAnyDialect(string name) => name switch
        {
            _ when _expressions.Dialect == BpmnDialect.Camunda8 => name,
            InstancesOfCamunda7 => "numberOfInstances",
            CompletedOfCamunda7 => "numberOfCompletedInstances",

            // One after the other: Camunda 7 counts the one that has just ended.
            ActiveOfCamunda7 => IsSequential ? "1" : "numberOfActiveInstances",
            _ => name,
        };
    }

    /// <summary>The first variables of an instance: each of these names, the number as the dialect counts it.</summary>
    public JsonObject Input(IEnumerable<string> names) =>
        new(names.Select(name => KeyValuePair.Create<string, JsonNode?>(
            name, IsCamunda7 && name == Counter ? $"= {Index} - 1" : $"= {BpmnMappings.Written(name)}")));

    /// <summary>
    /// Whether what an instance was given changes a variable of the process. The same value is none that anybody
    /// misses.
    /// </summary>
    public static string Changes(string payload, string name) =>
        $"= {payload}.{name} != null and not(coalesce({payload}.{name} = {BpmnMappings.Written(name)}, false))";

    /// <summary>Fails an instance that would change a variable of the process.</summary>
    public static JsonObject Refusal(BpmnElement element) => new()
    {
        ["type"] = "fail",
        ["error"] = $"One of several instances of {element.Kind} '{BpmnExpressions.Shown(element.Id!)}' gives another "
            + "value to a "
            + "variable of the process, where the last of them would win. Let it give other names, and collect them.",
    };

    [GeneratedRegex(@"^=\s*(?<name>[\p{L}_][\p{L}\p{Nd}_]*)(\s*\.\s*[\p{L}_][\p{L}\p{Nd}_]*)*\s*$")]
    private static partial Regex Path();
}
