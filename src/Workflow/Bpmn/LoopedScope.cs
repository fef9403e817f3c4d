using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>
/// A sub-process, script or receive task with several instances: what one of them does is a definition of its own, with
/// variables of its own. In BPMN they write variables of the process, so nothing that one writes may be read outside of
/// it.
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
        BpmnFile file, BpmnElement process, string name, BpmnExpressions around, FlowNode node, BpmnElement loop,
        FindingList findings)
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
            _findings.Add(element, $"Each of several instances of '{BpmnExpressions.Shown(Element.Id!)}' would set "
                + $"'{variable}', which is named outside of it, and the last one would win. "
                + (_loop.Extension("loopCharacteristics", BpmnNamespace.Zeebe) is null
                    ? "Give it another name inside; what each gives is collected by zeebe:loopCharacteristics of "
                        + "Camunda 8, or by a callEach step of a definition in JSON."
                    : $"Collect them: outputCollection=\"results\" outputElement=\"= {variable}\"."));
        }

        _own = [.. written.Where(one => !outside.Contains(one.Variable))];
        _body.Resolve(
            calls, new HashSet<string>([.. outside, .. _elements.Locals, .. _readByLoop], StringComparer.Ordinal));
        _elements.RefuseNumbers(Named);
        if (_elements.Results is { } results && Named.Contains(results))
        {
            _findings.Add(_loop, $"An instance reads '{results}', into which its results are collected. Give the "
                + "collection another name.");
        }

        return Named.Where(name => !IsOwn(name));
    }

    /// <summary>Checks what one instance does, once the variables of the process are known.</summary>
    public void Complete(IReadOnlyList<string> variables, ProcessCalls calls)
    {
        var shared =
            variables.Where(name => !_elements.Locals.Contains(name) && !IsOwn(name) && name != _elements.Results);
        var given = variables.Where(name => name != _elements.Results).Concat(_elements.Locals)
            .Concat(_own.Select(one => one.Variable));
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

    /// <summary>
    /// Refuses what would be another instance's: a variable that is read before it is written, a signal without a key.
    /// </summary>
    public void Check(string start, JsonObject steps, IReadOnlyDictionary<string, BpmnElement> sources)
    {
        foreach (var (id, step) in steps)
        {
            var waits = EventsOf(step!).Where(one => one["signal"] is not null).ToList();
            if (waits.Exists(one => one["correlation"] is null)
                || (step!["type"]!.ToString() == "waitSignal" && step["correlation"] is null))
            {
                _findings.Add(sources[id], "It waits for a message or signal without a key, which is sent to an "
                    + "instance; but each of "
                    + $"several instances of '{BpmnExpressions.Shown(Element.Id!)}' is one of its own, which nobody "
                    + "outside knows. Give the message a key: zeebe:subscription correlationKey=\"= item.id\".");
            }
        }

        foreach (var variable in _own.Select(one => one.Variable).Distinct())
        {
            if (Follow(variable, start, null, steps).Reader is { } reader)
            {
                _findings.Add(sources[reader], $"It reads '{variable}' before this instance of "
                    + $"'{BpmnExpressions.Shown(Element.Id!)}' has "
                    + "written it for certain, so it would read what another one wrote. Set it at the beginning of "
                    + "each instance.");
            }
        }
    }

    private bool IsOwn(string name) => _own.Exists(one => one.Variable == name);

    /// <summary>Follows every way on which nothing has written a variable.</summary>
    /// <param name="stop">The join of the branch that is followed; null outside of branches.</param>
    /// <returns>
    /// The first step that reads it, null where none does; and whether a way gets to the join, or to an end.
    /// </returns>
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

            Onward(step, isWritten || value is not null || step["result"]?.ToString() == variable)
                .ForEach(pending.Enqueue);
        }

        return (null, passes);
    }

    // A fork goes on when all of its branches have arrived, an inclusive one with any of them, a sub-process behind its
    // last end.
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
        IEnumerable<string> done = isWritten
            ? []
            : new[] { "next", "join" }.Select(member => step[member]?.ToString()).OfType<string>();
        IEnumerable<JsonObject> cases = step["join"] is null ? step["cases"]?.AsArray().OfType<JsonObject>() ?? [] : [];
        return
        [
            .. done, .. EventsOf(step).Concat(cases).Select(one => one["next"]!.ToString()),
            .. new[] { "onTimeout", "onError" }.Select(member => step[member]?.ToString()).OfType<string>(),
            .. step["join"] is null && step["otherwise"] is { } otherwise
                ? [otherwise.ToString()]
                : Array.Empty<string>(),
        ];
    }

    private static bool IsMerge(JsonNode? value, string variable) => value?.ToString() is { } text
        && text.StartsWith("= coalesce(", StringComparison.Ordinal)
        && text.EndsWith($"_payload.{variable}, {variable})", StringComparison.Ordinal);

    // An activity is given each variable by its name, whether it reads it or not.
    private static IEnumerable<string> Texts(JsonNode? node, string variable) => node switch
    {
        JsonObject members =>
            members.Where(member => member.Value?.ToString() != $"= {variable}" || member.Key != variable)
            .SelectMany(member => Texts(member.Value, variable)),
        JsonArray list => list.SelectMany(item => Texts(item, variable)),
        JsonValue value when value.ToString() is ['=', ..] text => [text],
        _ => [],
    };

    private static bool Reads(string expression, string variable) =>
        expression.Contains(variable, StringComparison.Ordinal)
        && ExpressionCompiler.TryCompile(expression, out var compiled, out _) && compiled.Variables.Contains(variable);

    private static IEnumerable<JsonObject> EventsOf(JsonNode step) =>
        (step["boundary"] ?? step["events"])?.AsArray().OfType<JsonObject>() ?? [];
}
