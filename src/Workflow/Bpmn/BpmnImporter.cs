using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.Bpmn;

/// <summary>A process of a file as a definition.</summary>
public sealed class ImportedDefinition
{
    private readonly Func<string, string, BpmnFinding> _locate;

    internal ImportedDefinition(string name, string json, bool isBody, Func<string, string, BpmnFinding> locate)
    {
        Name = name;
        Json = json;
        IsBody = isBody;
        _locate = locate;
    }

    /// <summary>The id of the process; with that of an activity, what each of its several instances does.</summary>
    public string Name { get; }

    /// <summary>The canonical definition, with version 1.</summary>
    public string Json { get; }

    /// <summary>Whether it is no process of the file, but what each of several instances of an activity does.</summary>
    public bool IsBody { get; }

    /// <summary>Where an error of the definition stands in the file, e.g. an activity that the engine does not know.</summary>
    /// <param name="path">The path of the error, e.g. <c>steps.charge.activity</c>.</param>
    public BpmnFinding Locate(string path, string message) => _locate(path, message);

    /// <summary>What was written, compiled; null where it has errors, each a finding.</summary>
    internal static ImportedDefinition? Of(
        JsonObject written, Func<string, BpmnElement> at, string ofName, FindingList findings, bool isBody = false)
    {
        var compiled = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(written.ToJsonString()), new DefinitionRules());
        foreach (var error in compiled.Errors)
        {
            findings.Add(at(error.Path), error.Path == "name" ? $"{error.Message} {ofName}" : error.Message);
        }

        return compiled.Definition is { } imported
            ? new(imported.Name, imported.CanonicalJson, isBody, (path, message) => FindingList.Of(at(path), message))
            : null;
    }

    /// <summary>The same definition with another version.</summary>
    /// <param name="version">1 or more.</param>
    /// <param name="bodies">
    /// The versions of what its several instances do, by name: these are the ones that it calls, whatever is registered later.
    /// </param>
    public string WithVersion(int version, IReadOnlyDictionary<string, int> bodies)
    {
        var definition = JsonNode.Parse(Json)!;
        definition["version"] = version;
        foreach (var (_, step) in definition["steps"]!.AsObject())
        {
            if (step!["type"]!.ToString() == "callEach" && step["version"] is null
                && bodies.TryGetValue(step["definition"]!.ToString(), out var called))
            {
                step["version"] = called;
            }
        }

        return definition.ToJsonString();
    }
}

/// <summary>
/// Turns BPMN 2.0 XML of Camunda 7, Camunda 8 or the plain standard into canonical definitions. What has no equal here is refused by name,
/// with its place and what to use instead: nothing is imported to run otherwise than its author meant. The README of this folder lists it.
/// </summary>
public static class BpmnImporter
{
    /// <summary>Bytes of a file at most.</summary>
    public const int MaxBytes = BpmnXmlReader.MaxBytes;

    /// <summary>Processes of a file that are executed, at most.</summary>
    private const int MaxProcesses = 200;

    /// <summary>Reads a file. It is hostile input: no document type, nothing from elsewhere, bounded in size, depth and number.</summary>
    /// <param name="xml">The file in an encoding that XML declares; UTF-8 without a declaration.</param>
    /// <returns>
    /// A definition for each process that can be executed, in the order of the file; then those of activities with several instances, each
    /// before those that it calls.
    /// </returns>
    /// <exception cref="BpmnInvalidException">It cannot be imported; every finding is listed, up to 200.</exception>
    public static IReadOnlyList<ImportedDefinition> Import(ReadOnlyMemory<byte> xml, CancellationToken cancellationToken = default)
    {
        var findings = new FindingList();
        IReadOnlyList<ImportedDefinition> imported =
            BpmnXmlReader.Read(xml, findings) is { } root ? Import(root, findings, cancellationToken) : [];
        return findings.Count == 0 ? imported : throw new BpmnInvalidException(findings.ToList());
    }

    private static List<ImportedDefinition> Import(BpmnElement root, FindingList findings, CancellationToken cancellationToken)
    {
        if (!root.Is("definitions"))
        {
            findings.Add(root, $"The root is '{BpmnExpressions.Shown(root.Kind)}' of '{BpmnExpressions.Shown(root.Namespace)}', not "
                + $"'definitions' of {BpmnNamespace.Model}. Send BPMN 2.0 XML.");
            return [];
        }

        var file = new BpmnFile(root, findings);
        if (file.Processes.Count > MaxProcesses)
        {
            findings.Add(file.Processes[MaxProcesses], $"The file has {file.Processes.Count} processes that are executed; at most "
                + $"{MaxProcesses} are imported. Split it: processes that call one another with all variables into one file.");
            return [];
        }

        var processes = Each(file.Processes, cancellationToken)
            .Select(process => new ProcessImport(file, process, process, process.Id!, findings)).ToList();
        if (processes.RemoveAll(process => !process.HasFewNames()) > 0)
        {
            return [];
        }

        CheckStarts(processes, findings);
        var calls = new ProcessCalls(processes, cancellationToken);
        foreach (var process in Each(processes, cancellationToken))
        {
            process.Finish(calls);
        }

        if (findings.Count > 0)
        {
            return [];
        }

        List<ImportedDefinition> imported =
            [.. Each(processes, cancellationToken).Select(process => process.ToDefinition()).OfType<ImportedDefinition>()];
        HashSet<string> names = new(imported.Select(one => one.Name), StringComparer.Ordinal);
        foreach (var activity in processes.SelectMany(process => process.Loops).Where(_ => findings.Count == 0))
        {
            foreach (var body in activity.ToDefinitions())
            {
                imported.Add(body);
                if (!names.Add(body.Name))
                {
                    findings.Add(activity.Element, $"What each of its instances does would be the definition '{body.Name}', as of another "
                        + "activity. Give one of them another id.");
                }
            }
        }

        return imported;
    }

    // A signal that nobody waits for starts instances of one definition.
    private static void CheckStarts(List<ProcessImport> processes, FindingList findings)
    {
        Dictionary<string, ProcessImport> starts = new(StringComparer.Ordinal);
        foreach (var (process, signal, element) in processes.SelectMany(process => process.Starts
            .Select(start => (process, start.Signal["signal"]?.ToString(), start.Source))))
        {
            if (signal is not null && !starts.TryAdd(signal, process) && starts[signal] != process)
            {
                findings.Add(element, $"The signal '{signal}' starts '{BpmnExpressions.Shown(starts[signal].Name)}' of this file, and it "
                    + "starts one definition only. Use a message or signal of another name, or make both one process.");
            }
        }
    }

    private static IEnumerable<T> Each<T>(IEnumerable<T> all, CancellationToken cancellationToken)
    {
        foreach (var one in all)
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return one;
        }
    }
}

/// <summary>A file: its dialect, what its processes refer to, and which of them are executed.</summary>
internal sealed class BpmnFile
{
    /// <summary>Characters that stand in place of variables in all expressions, beyond those of the file itself, at most.</summary>
    public const int MaxPut = BpmnXmlReader.MaxBytes;

    /// <summary>Values of steps that are written because there is such a variable, at most.</summary>
    public const int MaxValues = 200_000;

    private long _put;
    private long _values;
    private readonly Dictionary<(string Kind, string Id), BpmnElement> _declared = [];
    private readonly HashSet<(string Kind, string Id)> _caught = [];

    public BpmnFile(BpmnElement root, FindingList findings)
    {
        foreach (var element in root.Children.Where(child => child.Namespace == BpmnNamespace.Model && child.Id is not null))
        {
            if (!_declared.TryAdd((element.Kind, element.Id!), element))
            {
                findings.Add(element, $"The id '{BpmnExpressions.Shown(element.Id!)}' is given twice. Give each {element.Kind} an id "
                    + "of its own.");
            }

            if (element.Kind is "message" or "signal" or "error")
            {
                BpmnRules.Check(element, findings);
            }
        }

        foreach (var element in root.All)
        {
            var catcher = element.Is("receiveTask") ? element
                : element.Parent?.Kind is "intermediateCatchEvent" or "boundaryEvent" or "startEvent" ? element : null;
            foreach (var kind in new[] { "message", "signal" })
            {
                if (catcher?.Attribute($"{kind}Ref") is { } id)
                {
                    _caught.Add((kind, id));
                }
            }
        }

        Dialect = DialectOf(root, findings);
        Processes = Executable(root, findings);
    }

    public BpmnDialect Dialect { get; }
    public IReadOnlyList<BpmnElement> Processes { get; }

    /// <summary>A message, signal or error that stands beside the processes.</summary>
    public BpmnElement? Declared(string kind, string id) =>
        _declared.GetValueOrDefault((kind, id))
        ?? _declared.GetValueOrDefault((kind, id[(id.IndexOf(':', StringComparison.Ordinal) + 1)..]));

    /// <summary>Counts characters that stand in place of variables.</summary>
    /// <returns>False where they would be too many.</returns>
    public bool TryPut(int characters) => TryAdd(ref _put, Math.Max(0, characters), MaxPut);

    /// <summary>Counts values that are to be written of every variable.</summary>
    /// <returns>False where they would be too many.</returns>
    public bool TryWrite(long values) => TryAdd(ref _values, values, MaxValues);

    private static bool TryAdd(ref long sum, long more, long most)
    {
        var isFew = sum + more <= most;
        sum += isFew ? more : 0;
        return isFew;
    }

    /// <summary>Whether an element of the file waits for it.</summary>
    public bool IsCaught(string kind, string id) => _caught.Contains((kind, id));

    private static BpmnDialect DialectOf(BpmnElement root, FindingList findings)
    {
        var platform = root.Attribute("executionPlatform", BpmnNamespace.Modeler) ?? "";
        var seven = root.All.FirstOrDefault(element => Uses(element, BpmnNamespace.Camunda));
        var eight = root.All.FirstOrDefault(element => Uses(element, BpmnNamespace.Zeebe));
        if (seven is not null && eight is not null)
        {
            findings.Add(seven.Line > eight.Line ? seven : eight, "The file mixes attributes of Camunda 7 and of Camunda 8, which map "
                + "data in different ways. Keep those of one of them.");
        }

        return eight is not null || platform.Contains("Cloud", StringComparison.Ordinal) ? BpmnDialect.Camunda8
            : seven is not null || platform.Contains("Camunda", StringComparison.Ordinal) ? BpmnDialect.Camunda7
            : BpmnDialect.Plain;

        // The web modeler marks files of Camunda 8, too, with an attribute of Camunda 7.
        static bool Uses(BpmnElement element, string space) => element.Namespace == space
            || element.Attributes.Exists(attribute => attribute.Namespace == space && attribute.Name != "diagramRelationId");
    }

    // By the standard a process is not executable unless it says so; many files say nothing and mean to be executed.
    private static List<BpmnElement> Executable(BpmnElement root, FindingList findings)
    {
        var all = root.Model("process").ToList();
        all.ForEach(process => BpmnRules.CheckFlags(process, findings));
        var marked = all.Where(process => process.Flag("isExecutable")).ToList();
        var taken = marked.Count > 0 ? marked
            : all.Where(process => process.Attribute("isExecutable") is null || process.All.Any(IsExported)).ToList();
        if (taken.Count == 0)
        {
            findings.Add(all.FirstOrDefault() ?? root, all.Count == 0 ? "The file has no process. Draw one, with a start and an end event."
                : "No process of the file is executable. Set isExecutable=\"true\" on those that are to be imported.");
        }

        foreach (var nameless in taken.Where(process => process.Id is null))
        {
            findings.Add(nameless, "The process has no id, which becomes the name of the definition. Give it one.");
        }

        return [.. taken.Where(process => process.Id is not null)];

        static bool IsExported(BpmnElement element) => element.Kind == "step" && element.Namespace == BpmnNamespace.Step;
    }
}

/// <summary>One process, or what one of several instances of an activity does, on its way to a definition.</summary>
internal sealed class ProcessImport
{
    /// <summary>Variables of a process at most: each is a value of each step that takes or gives all of them.</summary>
    public const int MaxVariables = 1_000;

    private const string FewerVariables = "Let one variable hold what belongs together, e.g. order.total and order.id, or move parts into "
        + "processes of a file of their own, and call them with the variables that they read.";

    private readonly BpmnFile _file;
    private readonly BpmnElement _root;
    private readonly FindingList _findings;
    private readonly LoopedScope? _instance;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;
    private readonly BpmnSteps _steps;
    private readonly BpmnCalls _calls;
    private readonly BpmnLoops _loops;
    private readonly FlowGraph? _graph;
    private DefinitionWriter? _writer;
    private IReadOnlyList<string> _variables = [];

    /// <param name="process">The process that it is, or is a part of.</param>
    /// <param name="root">The process, or the activity with several instances.</param>
    /// <param name="instance">What it is one of; null for a process.</param>
    public ProcessImport(
        BpmnFile file, BpmnElement process, BpmnElement root, string name, FindingList findings, LoopedScope? instance = null)
    {
        (_file, _root, Name, _findings, _instance) = (file, root, name, findings, instance);
        _expressions = new(file, findings);
        _mappings = new(_expressions, findings);
        _steps = new(file, _expressions, _mappings, findings) { OutputOfInstance = instance is null ? null : instance.AddOutput };
        _calls = new(file, _expressions, _mappings, findings);
        _loops = new(file, process, name, _expressions, findings);
        _graph = new BpmnProcessReader(_steps, _calls, _loops, _mappings, _expressions, findings).Read(root);
        CalledWithAll = new HashSet<string>(_calls.CalledWithAll.Concat(Loops.SelectMany(activity => activity.CalledWithAll)));
    }

    public string Name { get; }

    /// <summary>Its activities with several instances.</summary>
    public IReadOnlyList<LoopedElement> Loops => _loops.Activities;

    /// <summary>The processes that are called with every variable of this one.</summary>
    public IReadOnlyCollection<string> CalledWithAll { get; }

    /// <summary>The signals that start it, and their start events.</summary>
    public IReadOnlyList<(JsonObject Signal, BpmnElement Source)> Starts => _graph?.StartSignals ?? [];

    /// <summary>What it names itself, beside its instances.</summary>
    public IReadOnlyCollection<string> Variables => _expressions.Variables;

    /// <summary>Every variable that it names, with those of its instances.</summary>
    public IEnumerable<string> Named => _expressions.Variables.Concat(Scopes.SelectMany(scope => scope.Named));

    /// <summary>What its own text writes, beside what an activity or a message brings.</summary>
    public IEnumerable<(string Variable, BpmnElement Element)> Written => (_graph?.Nodes ?? []).SelectMany(node => node.Steps
        .SelectMany(step => step["type"]!.ToString() switch
        {
            "set" => (step["values"]?.AsObject() ?? []).Select(value => value.Key),
            "callEach" when step["result"] is { } results => [results.ToString()],
            _ => [],
        })
        .Where(_expressions.Variables.Contains).Select(variable => (variable, node.Source)));

    private IEnumerable<LoopedScope> Scopes => Loops.OfType<LoopedScope>();

    /// <summary>Whether it names few enough variables to look at what becomes of them; a finding where not.</summary>
    public bool HasFewNames()
    {
        var names = Named.Distinct().Count();
        if (names > MaxVariables)
        {
            _findings.Add(_root, $"The process names {names} variables; at most {MaxVariables} are imported. {FewerVariables}");
        }

        return names <= MaxVariables;
    }

    /// <summary>Finds the variables that its instances share with it.</summary>
    /// <param name="outside">What is named outside of it.</param>
    public void Resolve(ProcessCalls calls, IReadOnlySet<string> outside)
    {
        SortedSet<string> own = new(_expressions.Variables, StringComparer.Ordinal);
        foreach (var scope in Scopes)
        {
            HashSet<string> names = [.. own, .. outside, .. Scopes.Where(other => other != scope).SelectMany(other => other.Named)];
            var called = _calls.CalledWithAll.Concat(Loops.Where(other => other != scope).SelectMany(other => other.CalledWithAll));
            foreach (var process in called.Distinct())
            {
                names.UnionWith(calls.VariablesOf(process));
            }

            _expressions.Variables.UnionWith(scope.Separate(names, calls));
        }
    }

    /// <summary>Checks the whole, once the variables of every process of the file are known.</summary>
    /// <param name="given">The variables that an instance has, of the process and of its own.</param>
    /// <param name="shared">Those of them that an instance may not change.</param>
    public void Finish(ProcessCalls calls, IReadOnlyList<string>? given = null, IReadOnlyList<string>? shared = null)
    {
        if (_graph is null)
        {
            return;
        }

        // A process that is called with all variables reads those of its own names, and hands them on in turn.
        HashSet<string> names = [.. _expressions.Variables, .. (given ?? [])];
        foreach (var called in CalledWithAll)
        {
            names.UnionWith(calls.VariablesOf(called));
        }

        if (!CanBeWritten(names.Count, shared?.Count ?? 0))
        {
            return;
        }

        _variables = [.. names.Order(StringComparer.Ordinal)];
        foreach (var scope in Scopes)
        {
            scope.Complete(_variables, calls);
        }

        if (shared is { Count: > 0 })
        {
            _mappings.Shared.UnionWith(shared);
            Guard();
        }

        new ForkPairing(_graph, _findings).Pair();
        _writer = new DefinitionWriter(_graph, _steps, _findings);
        _writer.Walk();
    }

    // What is looked at and written costs the variables for each step.
    private bool CanBeWritten(int variables, int shared)
    {
        if (_instance is null && variables > MaxVariables)
        {
            _findings.Add(_root, $"The process has more than {MaxVariables} variables, with those of the processes that it calls with all "
                + $"of its own; at most {MaxVariables} are imported. {FewerVariables}");
            return false;
        }

        // An assignment that reads what one before it has assigned is a step of its own.
        var steps = _graph!.Nodes.Where(node => node.Kind != NodeKind.End)
            .Sum(node => node.Steps.Count(step => step["type"]!.ToString() != "set" || step["values"] is not null));
        if (steps > DefinitionCompiler.MaxSteps)
        {
            _findings.Add(_root, $"It becomes {steps} steps, or more; a definition has at most {DefinitionCompiler.MaxSteps}. Move parts "
                + "into processes of their own, and call them.");
            return false;
        }

        // Each of several instances is called with all of them, and what it does takes, gives and guards them.
        var places = _mappings.Places + (shared > 0 ? _mappings.Merges.Count : 0) + (4 * Loops.Count);
        if (!_file.TryWrite((long)variables * places))
        {
            _findings.Add(_root, $"All variables are taken or given in {places} places here, and there are {variables} of them; at most "
                + $"{BpmnFile.MaxValues} values of a file are written for that. {FewerVariables}");
            return false;
        }

        return true;
    }

    public ImportedDefinition? ToDefinition()
    {
        _mappings.Finish(_variables);
        foreach (var activity in Loops)
        {
            activity.Finish(_variables);
        }

        _graph!.Nodes.ForEach(node => node.Steps.RemoveAll(step => step["type"]!.GetValue<string>() == "set" && step["values"] is null));
        var (start, steps) = _writer!.Write();
        _mappings.Finish(_variables);
        _instance?.Check(start, steps, _writer.Sources);
        if (_findings.Count > 0)
        {
            return null;
        }

        var written = new JsonObject { ["name"] = Name, ["version"] = 1, ["start"] = start, ["steps"] = steps };
        if (_graph.StartSignals.Count > 0)
        {
            written["startOn"] = new JsonArray([.. _graph.StartSignals.Select(begin => begin.Signal)]);
        }

        DefinitionWriter.Describe(written, _root);
        return ImportedDefinition.Of(written, ElementAt, _instance is null ? "The id of the process becomes the name of the definition."
            : "The ids of the process and of the activity become the name of what each instance does.", _findings, _instance is not null);
    }

    /// <summary>Its definition, then those of its activities with several instances.</summary>
    public IEnumerable<ImportedDefinition> ToDefinitions() => ToDefinition() is { } definition
        ? Loops.SelectMany(activity => activity.ToDefinitions()).Prepend(definition) : [];

    // What activities and messages bring an instance must not change what it shares with the others.
    private void Guard()
    {
        foreach (var (node, payload, own) in _mappings.Merges)
        {
            var guarded = _mappings.Shared.Where(name => !own.Contains(name)).Order(StringComparer.Ordinal).ToList();
            if (guarded.Count == 0 || node.Out.Find(edge => edge.Kind == EdgeKind.Next) is not { } onward)
            {
                continue;
            }

            var guard = _graph!.Add($"{node.Key}_gives", NodeKind.Decide, node.Source, node.Area);
            var fail = _graph.Add($"{node.Key}_shared", NodeKind.Stop, node.Source, node.Area);
            fail.Steps.Add(LoopElements.Refusal(_root));
            FlowGraph.Disconnect(onward);
            FlowGraph.Connect(node, guard, EdgeKind.Next, node.Source);
            guarded.ForEach(name => FlowGraph.Connect(guard, fail, EdgeKind.Case, node.Source, LoopElements.Changes(payload, name)));
            FlowGraph.Connect(guard, onward.To, EdgeKind.Otherwise, onward.Source);
        }
    }

    private BpmnElement ElementAt(string path)
    {
        var start = Starts.Where((_, i) => path.StartsWith($"startOn[{i}]", StringComparison.Ordinal)).Select(one => one.Source);
        if (start.FirstOrDefault() is { } begins)
        {
            return begins;
        }

        var step = _writer!.Sources.Keys.Where(id => path.Contains(id, StringComparison.Ordinal)).MaxBy(id => id.Length);
        return step is null ? _root : _writer.Sources[step];
    }
}

/// <summary>
/// The variables of the processes of a file, with those of the processes that each calls with all of its own. Processes that call one
/// another in a circle have the same. Each circle is looked at once, behind those that it calls: the strongly connected components of the
/// calls (Tarjan, Depth-first search and linear graph algorithms, 1972).
/// </summary>
internal sealed class ProcessCalls
{
    private readonly CancellationToken _cancellationToken;
    private readonly Dictionary<string, ProcessImport> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<ProcessImport, int> _order = [];
    private readonly Stack<ProcessImport> _open = [];
    private readonly Dictionary<ProcessImport, HashSet<string>> _variables = [];

    /// <summary>Resolves each process, those that it calls before it.</summary>
    public ProcessCalls(IReadOnlyList<ProcessImport> processes, CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        foreach (var process in processes)
        {
            _byName.TryAdd(process.Name, process);
        }

        foreach (var process in processes.Where(process => !_order.ContainsKey(process)))
        {
            Visit(process);
        }
    }

    /// <summary>The variables that a process reads which is called with all. Past what is imported no more of them.</summary>
    public IReadOnlyCollection<string> VariablesOf(string process) =>
        _byName.TryGetValue(process, out var known) && _variables.TryGetValue(known, out var variables) ? variables : [];

    // Calls itself once for each process at most, of which a file has few.
    private int Visit(ProcessImport process)
    {
        var own = _order.Count;
        var first = own;
        _order.Add(process, own);
        _open.Push(process);
        foreach (var name in process.CalledWithAll)
        {
            if (_byName.TryGetValue(name, out var called) && !_variables.ContainsKey(called))
            {
                first = Math.Min(first, _order.TryGetValue(called, out var before) ? before : Visit(called));
            }
        }

        if (first == own)
        {
            Resolve(process);
        }

        return first;
    }

    private void Resolve(ProcessImport first)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        List<ProcessImport> circle = [];
        do
        {
            circle.Add(_open.Pop());
        }
        while (circle[^1] != first);
        Unite(circle);
        circle.ForEach(process => process.Resolve(this, new HashSet<string>()));
        Unite(circle);
    }

    private void Unite(List<ProcessImport> circle)
    {
        HashSet<string> variables = new(StringComparer.Ordinal);
        foreach (var names in circle.Select(process => process.Variables)
            .Concat(circle.SelectMany(process => process.CalledWithAll).Distinct().Select(VariablesOf)))
        {
            // Past what is imported they are refused, however many more there are.
            variables.UnionWith(names.TakeWhile(_ => variables.Count <= ProcessImport.MaxVariables));
        }

        circle.ForEach(process => _variables[process] = variables);
    }
}
