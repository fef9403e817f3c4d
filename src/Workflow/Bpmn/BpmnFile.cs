namespace Workflow.Bpmn;

/// <summary>A file: its dialect, what its processes refer to, and which of them are executed.</summary>
internal sealed class BpmnFile
{
    /// <summary>
    /// Characters that stand in place of variables in all expressions, beyond those of the file itself, at most.
    /// </summary>
    public const int MaxPut = BpmnXmlReader.MaxBytes;

    /// <summary>Values of steps that are written because there is such a variable, at most.</summary>
    public const int MaxValues = 200_000;

    private long _put;
    private long _values;
    private readonly Dictionary<(string Kind, string Id), BpmnElement> _declared = [];
    private readonly HashSet<(string Kind, string Id)> _caught = [];

    public BpmnFile(BpmnElement root, FindingList findings)
    {
        foreach (var element in root.Children.Where(child => child.Namespace == BpmnNamespace.Model
            && child.Id is not null))
        {
            if (!_declared.TryAdd((element.Kind, element.Id!), element))
            {
                findings.Add(element, $"The id '{BpmnExpressions.Shown(element.Id!)}' is given twice. Give each "
                    + $"{element.Kind} an id of its own.");
            }

            if (element.Kind is "message" or "signal" or "error")
            {
                BpmnRules.Check(element, findings);
            }
        }

        foreach (var element in root.All)
        {
            if (!element.Is("receiveTask")
                && element.Parent?.Kind is not ("intermediateCatchEvent" or "boundaryEvent" or "startEvent"))
            {
                continue;
            }

            foreach (var kind in new[] { "message", "signal" })
            {
                if (element.Attribute($"{kind}Ref") is { } id)
                {
                    _caught.Add((kind, id));
                }
            }
        }

        Layout = new(root);
        Dialect = DialectOf(root, findings);
        Processes = Executable(root, findings);
    }

    public BpmnDialect Dialect { get; }

    /// <summary>The diagram that the file has of its processes.</summary>
    public BpmnLayout Layout { get; }
    public IReadOnlyList<BpmnElement> Processes { get; }

    /// <summary>A message, signal or error that stands beside the processes.</summary>
    public BpmnElement? Declared(string kind, string id) => _declared.GetValueOrDefault((kind, id));

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
            findings.Add(seven.Line > eight.Line ? seven : eight, "The file mixes attributes of Camunda 7 and of "
                + "Camunda 8, which map data in different ways. Keep those of one of them.");
        }

        if (eight is not null || platform.Contains("Cloud", StringComparison.Ordinal))
        {
            return BpmnDialect.Camunda8;
        }

        return seven is not null || platform.Contains("Camunda", StringComparison.Ordinal)
            ? BpmnDialect.Camunda7
            : BpmnDialect.Plain;

        // The web modeler marks files of Camunda 8, too, with an attribute of Camunda 7.
        static bool Uses(BpmnElement element, string space) => element.Namespace == space
            || element.Attributes.Exists(attribute => attribute.Namespace == space
                && attribute.Name != "diagramRelationId");
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
            findings.Add(all.FirstOrDefault() ?? root,
                all.Count == 0 ? "The file has no process. Draw one, with a start and an end event."
                : "No process of the file is executable. Set isExecutable=\"true\" on those that are to be imported.");
        }

        foreach (var nameless in taken.Where(process => process.Id is null))
        {
            findings.Add(nameless, "The process has no id, which becomes the name of the definition. Give it one.");
        }

        return [.. taken.Where(process => process.Id is not null)];

        static bool IsExported(BpmnElement element) =>
            element.Kind == "step" && element.Namespace == BpmnNamespace.Step;
    }
}
