using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.Bpmn;

/// <summary>One process, or what one of several instances of an activity does, on its way to a definition.</summary>
internal sealed class ProcessImport
{
    /// <summary>Variables of a process at most: each is a value of each step that takes or gives all of them.</summary>
    public const int MaxVariables = 1_000;

    private const string FewerVariables = "Let one variable hold what belongs together, e.g. order.total and order.id, "
        + "or move parts into processes of a file of their own, and call them with the variables that they read.";

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
        BpmnFile file, BpmnElement process, BpmnElement root, string name, FindingList findings,
        LoopedScope? instance = null)
    {
        (_file, _root, Name, _findings, _instance) = (file, root, name, findings, instance);
        _expressions = new(file, findings);
        _mappings = new(_expressions, findings);
        _steps = new(file, _expressions, _mappings, findings)
            { OutputOfInstance = instance is null ? null : instance.AddOutput };
        _calls = new(file, _expressions, _mappings, findings);
        _loops = new(file, process, name, _expressions, findings);
        _graph = new BpmnProcessReader(_steps, _calls, _loops, _mappings, _expressions, findings).Read(root);
        CalledWithAll =
            new HashSet<string>(_calls.CalledWithAll.Concat(Loops.SelectMany(activity => activity.CalledWithAll)));
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
    public IEnumerable<(string Variable, BpmnElement Element)> Written =>
        (_graph?.Nodes ?? []).SelectMany(node => node.Steps
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
            _findings.Add(
                _root, $"The process names {names} variables; at most {MaxVariables} are imported. {FewerVariables}");
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
            HashSet<string> names =
                [.. own, .. outside, .. Scopes.Where(other => other != scope).SelectMany(other => other.Named)];
            var called = _calls.CalledWithAll.Concat(Loops.Where(other => other != scope)
                .SelectMany(other => other.CalledWithAll));
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
            _findings.Add(_root, $"The process has more than {MaxVariables} variables, with those of the processes "
                + $"that it calls with all of its own; at most {MaxVariables} are imported. {FewerVariables}");
            return false;
        }

        // An assignment that reads what one before it has assigned is a step of its own.
        var steps = _graph!.Nodes.Where(node => node.Kind != NodeKind.End)
            .Sum(node => node.Steps.Count(step => step["type"]!.ToString() != "set" || step["values"] is not null));
        if (steps > DefinitionCompiler.MaxSteps)
        {
            _findings.Add(_root, $"It becomes {steps} steps, or more; a definition has at most "
                + $"{DefinitionCompiler.MaxSteps}. Move parts into processes of their own, and call them.");
            return false;
        }

        // Each of several instances is called with all of them, and what it does takes, gives and guards them.
        var places = _mappings.Places + (shared > 0 ? _mappings.Merges.Count : 0) + (4 * Loops.Count);
        if (!_file.TryWrite((long)variables * places))
        {
            _findings.Add(_root, $"All variables are taken or given in {places} places here, and there are {variables} "
                + $"of them; at most {BpmnFile.MaxValues} values of a file are written for that. {FewerVariables}");
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

        _graph!.Nodes.ForEach(node =>
            node.Steps.RemoveAll(step => step["type"]!.GetValue<string>() == "set" && step["values"] is null));
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
        if (_instance is null && _file.Layout.Find(_root) is { } layout)
        {
            written["layout"] = layout;
        }

        return ImportedDefinition.Of(
            written, ElementAt, _instance is null ? "The id of the process becomes the name of the definition."
            : "The ids of the process and of the activity become the name of what each instance does.", _findings,
            Remarks(),
            _instance is not null);
    }

    /// <summary>Its definition, then those of its activities with several instances.</summary>
    public IEnumerable<ImportedDefinition> ToDefinitions() => ToDefinition() is { } definition
        ? Loops.SelectMany(activity => activity.ToDefinitions()).Prepend(definition) : [];

    private List<BpmnFinding> Remarks() => [.. _graph!.Nodes.Where(node => node.Remark is not null)
        .Select(node => FindingList.Of(node.Source, node.Remark!))];

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
            guarded.ForEach(name =>
                FlowGraph.Connect(guard, fail, EdgeKind.Case, node.Source, LoopElements.Changes(payload, name)));
            FlowGraph.Connect(guard, onward.To, EdgeKind.Otherwise, onward.Source);
        }
    }

    private BpmnElement ElementAt(string path)
    {
        var start = Starts.Where((_, i) => path.StartsWith($"startOn[{i}]", StringComparison.Ordinal))
            .Select(one => one.Source);
        if (start.FirstOrDefault() is { } begins)
        {
            return begins;
        }

        var step = _writer!.Sources.Keys.Where(id => path.Contains(id, StringComparison.Ordinal))
            .MaxBy(id => id.Length);
        return step is null ? _root : _writer.Sources[step];
    }
}
