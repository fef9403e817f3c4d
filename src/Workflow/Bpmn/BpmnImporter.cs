namespace Workflow.Bpmn;

/// <summary>
/// Turns BPMN 2.0 XML of Camunda 7, Camunda 8 or the plain standard into canonical definitions. What has no equal here
/// is refused by name, with its place and what to use instead: nothing is imported to run otherwise than its author
/// meant. The README of this folder lists it.
/// </summary>
public static class BpmnImporter
{
    /// <summary>Bytes of a file at most.</summary>
    public const int MaxBytes = BpmnXmlReader.MaxBytes;

    /// <summary>Processes of a file that are executed, at most.</summary>
    private const int MaxProcesses = 200;

    /// <summary>
    /// Reads a file. It is hostile input: no document type, nothing from elsewhere, bounded in size, depth and number.
    /// </summary>
    /// <param name="xml">
    /// The file, in the encoding of its byte order mark or its XML declaration; UTF-8 without either.
    /// </param>
    /// <param name="reading">How it is read; strictly if null.</param>
    /// <exception cref="BpmnInvalidException">It cannot be imported; every finding is listed, up to 200.</exception>
    public static BpmnImport Import(
        ReadOnlyMemory<byte> xml, BpmnReading? reading = null, CancellationToken cancellationToken = default)
    {
        var findings = new FindingList(reading?.Unknown ?? UnknownContent.Refuse);
        IReadOnlyList<ImportedDefinition> imported =
            BpmnXmlReader.Read(xml.Span, reading?.Charset, findings) is { } root
                ? Import(root, findings, cancellationToken)
                : [];
        if (findings.Count > 0)
        {
            throw new BpmnInvalidException(findings.ToList());
        }

        var (passedOver, more) = findings.Passed();
        return new(imported, passedOver, more);
    }

    private static List<ImportedDefinition> Import(
        BpmnElement root, FindingList findings, CancellationToken cancellationToken)
    {
        if (!root.Is("definitions"))
        {
            findings.Add(root, $"The root is '{BpmnExpressions.Shown(root.Kind)}' of "
                + $"'{BpmnExpressions.Shown(root.Namespace)}', not "
                + $"'definitions' of {BpmnNamespace.Model}. Send BPMN 2.0 XML.");
            return [];
        }

        BpmnReferences.Resolve(root, findings);
        if (findings.Count > 0)
        {
            return [];
        }

        foreach (var extension in root.Model("extension")
            .Where(extension => findings.PassesOver && extension.Flag("mustUnderstand")))
        {
            findings.Add(extension, "The file says that the extension "
                + $"'{BpmnExpressions.Shown(extension.Attribute("definition") ?? "")}' "
                + "must be understood, so what it adds is not passed over. Remove it and what it adds, or import the "
                + "file without passing over anything.");
        }

        var file = new BpmnFile(root, findings);
        if (file.Processes.Count > MaxProcesses)
        {
            findings.Add(file.Processes[MaxProcesses], $"The file has {file.Processes.Count} processes that are "
                + "executed; at most "
                + $"{MaxProcesses} are imported. Split it: processes that call one another with all variables into one "
                + "file.");
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
            [.. Each(processes, cancellationToken).Select(process => process.ToDefinition())
                .OfType<ImportedDefinition>()];
        HashSet<string> names = new(imported.Select(one => one.Name), StringComparer.Ordinal);
        foreach (var activity in processes.SelectMany(process => process.Loops).Where(_ => findings.Count == 0))
        {
            foreach (var body in activity.ToDefinitions())
            {
                imported.Add(body);
                if (!names.Add(body.Name))
                {
                    findings.Add(activity.Element, "What each of its instances does would be the definition "
                        + $"'{body.Name}', as of another activity. Give one of them another id.");
                }
            }
        }

        return imported;
    }

    // A signal that no instance waits for starts instances of one definition.
    private static void CheckStarts(List<ProcessImport> processes, FindingList findings)
    {
        Dictionary<string, ProcessImport> starts = new(StringComparer.Ordinal);
        foreach (var (process, signal, element) in processes.SelectMany(process => process.Starts
            .Select(start => (process, start.Signal["signal"]?.ToString(), start.Source))))
        {
            if (signal is not null && !starts.TryAdd(signal, process) && starts[signal] != process)
            {
                findings.Add(element, $"The signal '{signal}' starts '{BpmnExpressions.Shown(starts[signal].Name)}' of "
                    + "this file, and it "
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
