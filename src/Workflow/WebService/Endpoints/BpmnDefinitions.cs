using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;
using Workflow.Bpmn;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Endpoints;

/// <summary>Definitions that come as BPMN: each process of a file is one, and takes the version that is due.</summary>
internal sealed class BpmnDefinitions(IWorkflowEngine engine)
{
    private readonly OneAtATime _reading = new();

    /// <summary>
    /// Registers every process of a file, all of them checked before the first. A definition whose newest version has
    /// the same content keeps it; any other content is the version after.
    /// </summary>
    /// <returns>The first, with all of them and the warnings of all; and whether any was new.</returns>
    /// <exception cref="BpmnInvalidException">It cannot be imported.</exception>
    /// <exception cref="DefinitionConflictException">
    /// One has other content than the last version that there can be.
    /// </exception>
    public async Task<(DefinitionInfo Definition, bool Created)> RegisterAsync(
        byte[] xml, BpmnReading reading, CancellationToken cancellationToken)
    {
        var file = await ImportAsync(xml, reading, cancellationToken);
        var imported = file.Definitions;
        if (ErrorsOf(imported) is { Count: > 0 } errors)
        {
            throw new BpmnInvalidException(errors);
        }

        CheckVersions(imported);
        List<DefinitionInfo> registered = [];
        Dictionary<string, int> bodies = new(StringComparer.Ordinal);
        var anyCreated = false;

        // From the last: what a process calls for each of several elements stands behind it, and is there when it
        // starts. It is called in the version that this file has, so that a changed file changes nothing for elements
        // of what runs.
        foreach (var definition in imported.Reverse())
        {
            var (info, created) = await RegisterAsync(definition, bodies, cancellationToken);
            registered.Insert(0, info with { Warnings = null });
            anyCreated |= created;
            if (definition.IsBody)
            {
                bodies.Add(info.Name, info.Version);
            }
        }

        var warnings = imported.Select(definition => WarningsOf(imported, definition)).ToList();
        var each = registered.Zip(warnings, (info, own) => own.Count == 0 ? info : info with { Warnings = own })
            .ToList();
        return (each[0] with
        {
            Definitions = each, Warnings = OrNull([.. warnings.SelectMany(own => own), .. BpmnProblems.More(file)]),
            PassedOver = OrNull(file.PassedOver),
        }, anyCreated);
    }

    /// <summary>Checks a file without registering anything.</summary>
    public async Task<DefinitionValidation> ValidateAsync(
        byte[] xml, BpmnReading reading, CancellationToken cancellationToken)
    {
        try
        {
            var file = await ImportAsync(xml, reading, cancellationToken);
            var imported = file.Definitions;
            if (ErrorsOf(imported) is { Count: > 0 } errors)
            {
                return new(false, [.. errors.Select(BpmnProblems.Of)]);
            }

            return new(true, [])
            {
                Warnings = OrNull(
                    [.. imported.SelectMany(definition => WarningsOf(imported, definition)),
                        .. BpmnProblems.More(file)]),
                PassedOver = OrNull(file.PassedOver),
            };
        }
        catch (BpmnInvalidException e)
        {
            return new(false, [.. e.Findings.Select(BpmnProblems.Of)]);
        }
    }

    private Task<BpmnImport> ImportAsync(byte[] xml, BpmnReading reading, CancellationToken cancellationToken) =>
        _reading.RunAsync(() => BpmnImporter.Import(xml, reading, cancellationToken), cancellationToken);

    // What only this engine can say, e.g. that it does not know an activity, at its place in the file.
    private List<BpmnFinding> ErrorsOf(IReadOnlyList<ImportedDefinition> imported) =>
        [.. imported.SelectMany(definition => engine.ValidateDefinition(Encoding.UTF8.GetBytes(definition.Json)).Errors
            .Select(error => definition.Locate(error.Path, error.Message)))];

    /// <summary>
    /// Steps that do nothing, and calls of what neither the engine nor the file has, at their places in the file.
    /// </summary>
    private IReadOnlyList<DefinitionProblem> WarningsOf(
        IReadOnlyList<ImportedDefinition> imported, ImportedDefinition definition)
    {
        var compiled =
            DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(definition.Json), new DefinitionRules()).Definition!;
        return [.. definition.Remarks.Concat(UnregisteredCalls.Find(compiled, IsKnown).Select(warning =>
            definition.Locate(warning.Path, warning.Message))).Select(BpmnProblems.Of)];

        bool IsKnown(string name, int? version) =>
            imported.Any(one => one.Name == name && (version is null || one.IsBody))
            || engine.ListDefinitions().Any(one => one.Name == name && (version is null || one.Version == version));
    }

    private static IReadOnlyList<T>? OrNull<T>(IReadOnlyList<T> list) => list.Count == 0 ? null : list;

    // Behind the last version there is no next one: known before any of the file is registered.
    private void CheckVersions(IReadOnlyList<ImportedDefinition> imported)
    {
        var last = engine.ListDefinitions().Where(one => one.Version == int.MaxValue)
            .ToDictionary(one => one.Name, StringComparer.Ordinal);
        foreach (var definition in imported.Where(definition => last.ContainsKey(definition.Name)))
        {
            var bodies = imported.Where(body => body.IsBody)
                .ToDictionary(body => body.Name, body => NewestOf(body.Name), StringComparer.Ordinal);
            var registered = last[definition.Name].ContentHash;
            var offered = DefinitionCompiler.Compile(
                Encoding.UTF8.GetBytes(definition.WithVersion(int.MaxValue, bodies)),
                new DefinitionRules()).Definition!.ContentHash;
            if (offered != registered)
            {
                throw new DefinitionConflictException(definition.Name, int.MaxValue, registered, offered);
            }
        }
    }

    private int NewestOf(string name) =>
        engine.ListDefinitions().Where(one => one.Name == name).Select(one => one.Version).DefaultIfEmpty(1).Max();

    private async Task<(DefinitionInfo Definition, bool Created)> RegisterAsync(
        ImportedDefinition imported, IReadOnlyDictionary<string, int> bodies, CancellationToken cancellationToken)
    {
        for (var version = NewestOf(imported.Name); ; version++)
        {
            try
            {
                return await engine.RegisterDefinitionAsync(
                    Encoding.UTF8.GetBytes(imported.WithVersion(version, bodies)), cancellationToken);
            }
            catch (DefinitionConflictException) when (version < int.MaxValue)
            {
                // This version has other content, also where somebody else has just registered it: the next one is due.
            }
        }
    }
}
