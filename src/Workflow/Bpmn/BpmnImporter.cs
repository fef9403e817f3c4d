using System.Text;
using System.Text.Json.Nodes;
using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.Bpmn;

/// <summary>A process of a file as a definition.</summary>
public sealed class ImportedDefinition
{
    private readonly Func<string, string, BpmnFinding> _locate;

    internal ImportedDefinition(string name, string json, Func<string, string, BpmnFinding> locate)
    {
        Name = name;
        Json = json;
        _locate = locate;
    }

    /// <summary>The id of the process; with that of an activity, what each of its several instances does.</summary>
    public string Name { get; }

    /// <summary>The canonical definition, with version 1.</summary>
    public string Json { get; }

    /// <summary>Where an error of the definition stands in the file, e.g. an activity that the engine does not know.</summary>
    /// <param name="path">The path of the error, e.g. <c>steps.charge.activity</c>.</param>
    public BpmnFinding Locate(string path, string message) => _locate(path, message);

    /// <summary>What was written, compiled; null where it has errors, each a finding.</summary>
    internal static ImportedDefinition? Of(JsonObject written, Func<string, BpmnElement> at, string ofName, FindingList findings)
    {
        var compiled = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(written.ToJsonString()), new DefinitionRules());
        foreach (var error in compiled.Errors)
        {
            findings.Add(at(error.Path), error.Path == "name" ? $"{error.Message} {ofName}" : error.Message);
        }

        return compiled.Definition is { } imported
            ? new(imported.Name, imported.CanonicalJson, (path, message) => FindingList.Of(at(path), message))
            : null;
    }

    /// <summary>The same definition with another version.</summary>
    /// <param name="version">1 or more.</param>
    public string WithVersion(int version)
    {
        var definition = JsonNode.Parse(Json)!;
        definition["version"] = version;
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

    /// <summary>Reads a file. It is hostile input: no document type, nothing from elsewhere, bounded in size, depth and number.</summary>
    /// <param name="xml">The file in an encoding that XML declares; UTF-8 without a declaration.</param>
    /// <returns>
    /// A definition for each process that can be executed, in the order of the file; then those of activities with several instances.
    /// </returns>
    /// <exception cref="BpmnInvalidException">It cannot be imported; every finding is listed, up to 200.</exception>
    public static IReadOnlyList<ImportedDefinition> Import(ReadOnlyMemory<byte> xml)
    {
        var findings = new FindingList();
        IReadOnlyList<ImportedDefinition> imported = BpmnXmlReader.Read(xml, findings) is { } root ? Import(root, findings) : [];
        return findings.Count == 0 ? imported : throw new BpmnInvalidException(findings.ToList());
    }

    private static List<ImportedDefinition> Import(BpmnElement root, FindingList findings)
    {
        if (!root.Is("definitions"))
        {
            findings.Add(root, $"The root is '{BpmnExpressions.Shown(root.Kind)}' of '{BpmnExpressions.Shown(root.Namespace)}', not "
                + $"'definitions' of {BpmnNamespace.Model}. Send BPMN 2.0 XML.");
            return [];
        }

        var file = new BpmnFile(root, findings);
        var processes = file.Processes.Select(process => new ProcessImport(file, process, findings)).ToList();
        foreach (var process in processes)
        {
            process.Finish(processes);
        }

        if (findings.Count > 0)
        {
            return [];
        }

        List<ImportedDefinition> imported = [.. processes.Select(process => process.ToDefinition()).OfType<ImportedDefinition>()];
        HashSet<string> names = new(imported.Select(one => one.Name), StringComparer.Ordinal);
        foreach (var activity in processes.SelectMany(process => process.Loops).Where(_ => findings.Count == 0))
        {
            if (activity.ToDefinition() is { } body)
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
}

/// <summary>A file: its dialect, what its processes refer to, and which of them are executed.</summary>
internal sealed class BpmnFile
{
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

            if (element.Is("message"))
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
        var marked = all.Where(process => process.Attribute("isExecutable") is "true" or "1").ToList();
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

/// <summary>One process on its way to a definition.</summary>
internal sealed class ProcessImport
{
    private readonly BpmnElement _process;
    private readonly FindingList _findings;
    private readonly BpmnExpressions _expressions;
    private readonly BpmnMappings _mappings;
    private readonly BpmnSteps _steps;
    private readonly BpmnCalls _calls;
    private readonly BpmnLoops _loops;
    private readonly FlowGraph? _graph;

    public ProcessImport(BpmnFile file, BpmnElement process, FindingList findings)
    {
        _process = process;
        _findings = findings;
        _expressions = new(file.Dialect, findings);
        _mappings = new(_expressions, findings);
        _steps = new(file, _expressions, _mappings, findings);
        _calls = new(file, _expressions, _mappings, findings);
        _loops = new(file, process, _expressions, findings);
        _graph = new BpmnProcessReader(_steps, _calls, _loops, _mappings, _expressions, findings).Read(process);
    }

    /// <summary>Its activities with several instances.</summary>
    public IReadOnlyList<LoopedActivity> Loops => _loops.Activities;

    /// <summary>Checks the whole, once the variables of every process of the file are known.</summary>
    public void Finish(IReadOnlyList<ProcessImport> all)
    {
        if (_graph is null)
        {
            return;
        }

        new ForkPairing(_graph, _findings).Pair();
        Writer = new DefinitionWriter(_graph, _steps, _findings);
        Writer.Walk();
        Variables = [.. With(all, []).Order(StringComparer.Ordinal)];
    }

    private DefinitionWriter? Writer { get; set; }
    private IReadOnlyList<string> Variables { get; set; } = [];

    public ImportedDefinition? ToDefinition()
    {
        _mappings.Finish(Variables);
        foreach (var activity in Loops)
        {
            activity.Finish(Variables);
        }

        _graph!.Nodes.ForEach(node => node.Steps.RemoveAll(step => step["type"]!.GetValue<string>() == "set" && step["values"] is null));
        var (start, steps) = Writer!.Write();
        _mappings.Finish(Variables);
        if (_findings.Count > 0)
        {
            return null;
        }

        var written = new JsonObject { ["name"] = _process.Id, ["version"] = 1, ["start"] = start, ["steps"] = steps };
        if (_graph.StartSignals.Count > 0)
        {
            written["startOn"] = new JsonArray([.. _graph.StartSignals]);
        }

        DefinitionWriter.Describe(written, _process);
        return ImportedDefinition.Of(written, ElementAt, "The id of the process becomes the name of the definition.", _findings);
    }

    private BpmnElement ElementAt(string path)
    {
        var step = Writer!.Sources.Keys.Where(id => path.Contains(id, StringComparison.Ordinal)).MaxBy(id => id.Length);
        return step is null ? _process : Writer.Sources[step];
    }

    // A process that is called with all variables reads those of its own names, and hands them on in turn.
    private HashSet<string> With(IReadOnlyList<ProcessImport> all, HashSet<ProcessImport> seen)
    {
        HashSet<string> names = [.. _expressions.Variables];
        if (seen.Add(this))
        {
            var withAll = _calls.CalledWithAll.Concat(Loops.SelectMany(activity => activity.CalledWithAll)).ToHashSet();
            foreach (var called in all.Where(other => withAll.Contains(other._process.Id!)))
            {
                names.UnionWith(called.With(all, seen));
            }
        }

        return names;
    }
}
