using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.Bpmn;

/// <summary>A process of a file as a definition.</summary>
public sealed class ImportedDefinition
{
    private readonly Func<string, string, BpmnFinding> _locate;
    private readonly string _withLayout;

    internal ImportedDefinition(
        WorkflowDefinition definition, bool isBody, IReadOnlyList<BpmnFinding> remarks,
        Func<string, string, BpmnFinding> locate)
    {
        Name = definition.Name;
        Json = definition.CanonicalJson;
        _withLayout = definition.Json;
        IsBody = isBody;
        Remarks = remarks;
        _locate = locate;
    }

    /// <summary>The id of the process; with that of an activity, what each of its several instances does.</summary>
    public string Name { get; }

    /// <summary>The canonical definition, with version 1 and without the layout of the file.</summary>
    public string Json { get; }

    /// <summary>Whether it is no process of the file, but what each of several instances of an activity does.</summary>
    public bool IsBody { get; }

    /// <summary>What is imported and its author should know: steps that do nothing.</summary>
    public IReadOnlyList<BpmnFinding> Remarks { get; }

    /// <summary>
    /// Where an error of the definition stands in the file, e.g. an activity that the engine does not know.
    /// </summary>
    /// <param name="path">The path of the error, e.g. <c>steps.charge.activity</c>.</param>
    public BpmnFinding Locate(string path, string message) => _locate(path, message);

    /// <summary>What was written, compiled; null where it has errors, each a finding.</summary>
    internal static ImportedDefinition? Of(
        JsonObject written, Func<string, BpmnElement> at, string ofName, FindingList findings,
        IReadOnlyList<BpmnFinding> remarks, bool isBody)
    {
        var compiled =
            DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(written.ToJsonString()), new DefinitionRules());
        foreach (var error in compiled.Errors)
        {
            findings.Add(at(error.Path), error.Path == "name" ? $"{error.Message} {ofName}" : error.Message);
        }

        return compiled.Definition is { } imported
            ? new(imported, isBody, remarks, (path, message) => FindingList.Of(at(path), message))
            : null;
    }

    /// <summary>The same definition with another version, and with the layout of the file if it has one.</summary>
    /// <param name="version">1 or more.</param>
    /// <param name="bodies">
    /// The versions of what its several instances do, by name: these are the ones that it calls, whatever is registered
    /// later.
    /// </param>
    public string WithVersion(int version, IReadOnlyDictionary<string, int> bodies)
    {
        var definition = JsonNode.Parse(_withLayout)!;
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
