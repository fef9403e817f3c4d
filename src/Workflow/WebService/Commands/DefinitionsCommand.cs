using System.Collections.ObjectModel;
using System.CommandLine;
using Workflow.Abstractions;
using Workflow.Abstractions.Building;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Bpmn;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Events;
using Workflow.WebService.Activities;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Commands;

/// <summary>
/// <c>definitions check FILE…</c> and <c>definitions csharp FILE</c>: definitions in files, canonical JSON or BPMN 2.0,
/// without a running service.
/// </summary>
internal static class DefinitionsCommand
{
    public const string Name = "definitions";

    private const int Success = 0;
    private const int HasErrors = 1;
    private const int BadInput = 2;

    /// <summary>What the service itself checks a definition against.</summary>
    private static readonly DefinitionRules Rules = new()
    {
        Activities = new HashSet<string> { EchoActivity.Name, HttpActivity.Name }, ReservedEvents = EventTypes.Reserved,
    };

    /// <summary>Blanks, byte order marks, and the other halves of both in UTF-16.</summary>
    private static ReadOnlySpan<byte> BeforeText => [0x20, 0x09, 0x0D, 0x0A, 0x00, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF];

    /// <returns>
    /// 0 if every file is valid, 1 if a definition has errors, 2 if an argument or a file cannot be used.
    /// </returns>
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, TextWriter output, TextWriter errors)
    {
        var root = new RootCommand("Definitions in files: canonical JSON, or BPMN 2.0 XML.")
        {
            new Command(Name, "Checks definitions in files, or writes one as C#.")
                { Check(output, errors), CSharp(output, errors) },
        };
        var parsed = root.Parse(arguments);
        if (parsed.Errors.Count > 0)
        {
            foreach (var error in parsed.Errors)
            {
                await errors.WriteLineAsync(error.Message);
            }

            return BadInput;
        }

        try
        {
            return await parsed.InvokeAsync(
                new() { Output = output, Error = errors, EnableDefaultExceptionHandler = false });
        }
        catch (Exception e) when (e is FormatException or IOException or UnauthorizedAccessException)
        {
            await errors.WriteLineAsync(e.Message);
            return BadInput;
        }
    }

    private static Command Check(TextWriter output, TextWriter errors)
    {
        var files = new Argument<string[]>("file")
            { Description = "Canonical JSON or BPMN 2.0.", Arity = ArgumentArity.OneOrMore };
        var unknown = new Option<UnknownContent>("--unknown")
        {
            Description = "Whether attributes and extensions of a BPMN file that are not known are errors, or passed "
                + "over and listed where they change nothing.",
            HelpName = "refuse|report",
        };
        unknown.AcceptOnlyFromAmong("refuse", "report");
        var check = new Command("check",
            "Reports every error as file:line:column, and as warnings calls of definitions that no file has and tasks "
                + "that do nothing. Exit code 1 on errors.") { files, unknown };
        check.SetAction(async (parsed, cancellationToken) =>
        {
            var code = Success;
            List<ReadDefinition> all = [];
            foreach (var file in parsed.GetRequiredValue(files))
            {
                var reading = new BpmnReading { Unknown = parsed.GetValue(unknown) };
                var (definitions, found, passedOver) = Read(
                    file, await File.ReadAllBytesAsync(file, cancellationToken), reading, cancellationToken);
                await WriteAsync(errors, found);
                await WriteAsync(errors, passedOver);
                all.AddRange(definitions);
                if (found.Count > 0)
                {
                    code = HasErrors;
                }
                else
                {
                    await output.WriteLineAsync(
                        $"{file}: {string.Join(", ", definitions.Select(definition => definition.Name))}: valid.");
                }
            }

            await WriteAsync(
                errors, [.. all.SelectMany(definition => definition.Remarks.Concat(WarningsOf(definition, all)))]);
            return code;
        });
        return check;
    }

    private static Command CSharp(TextWriter output, TextWriter errors)
    {
        var file = new Argument<string>("file") { Description = "Canonical JSON or BPMN 2.0." };
        var process = new Option<string>("--process")
        {
            Description = "The process to write, if a BPMN file has several.", HelpName = "id",
        };
        var csharp = new Command("csharp", "Writes a definition as the C# that builds it.") { file, process };
        csharp.SetAction(async (parsed, cancellationToken) =>
        {
            var (path, id) = (parsed.GetRequiredValue(file), parsed.GetValue(process));
            var (definitions, found, _) = Read(
                path, await File.ReadAllBytesAsync(path, cancellationToken), new BpmnReading(), cancellationToken);
            await WriteAsync(errors, found);
            if (found.Count > 0)
            {
                return HasErrors;
            }

            var chosen = definitions.Where(definition => id is null || definition.Name == id).ToList();
            if (chosen is not [var only])
            {
                var names = string.Join(", ", definitions.Select(definition => definition.Name));
                throw new FormatException(id is null
                    ? $"{path} has {definitions.Count} definitions. Choose one with --process: {names}."
                    : $"{path} has no definition '{id}'. It has: {names}.");
            }

            await output.WriteAsync(
                DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(only.Compiled.CanonicalJson)));
            return Success;
        });
        return csharp;
    }

    private static async Task WriteAsync(TextWriter errors, IReadOnlyList<string> found)
    {
        foreach (var error in found)
        {
            await errors.WriteLineAsync(error);
        }
    }

    /// <summary>Only files are known here: a definition may call one that the service has.</summary>
    private static IEnumerable<string> WarningsOf(ReadDefinition definition, List<ReadDefinition> all) =>
        UnregisteredCalls.Find(
            definition.Compiled,
            (name, version) =>
                all.Exists(one => one.Name == name && (version is null || one.Compiled.Version == version)),
            "is in none of these files").Select(warning => definition.Warning(warning.Path, warning.Message));

    /// <summary>The definitions of a file, or its errors; and what was passed over of it.</summary>
    private static FileContent Read(
        string file, byte[] bytes, BpmnReading reading, CancellationToken cancellationToken) =>
        IsXml(bytes) ? ReadBpmn(file, bytes, reading, cancellationToken) : ReadJson(file, bytes);

    private static FileContent ReadBpmn(
        string file, byte[] xml, BpmnReading reading, CancellationToken cancellationToken)
    {
        BpmnImport imported;
        List<BpmnFinding> findings;
        try
        {
            imported = BpmnImporter.Import(xml, reading, cancellationToken);
            findings = [.. imported.Definitions.SelectMany(definition =>
                Compile(Encoding.UTF8.GetBytes(definition.Json)).Errors
                .Select(error => definition.Locate(error.Path, error.Message)))];
        }
        catch (BpmnInvalidException e)
        {
            (imported, findings) = (new BpmnImport([], [], 0), [.. e.Findings]);
        }

        if (findings.Count > 0)
        {
            return new([], [.. findings.Select(found => Shown(found, ""))], []);
        }

        return new(
            [.. imported.Definitions.Select(definition => new ReadDefinition(
                Compile(Encoding.UTF8.GetBytes(
                    definition.WithVersion(1, ReadOnlyDictionary<string, int>.Empty))).Definition!,
                [.. definition.Remarks.Select(remark => Shown(remark, "warning: "))],
                (path, message) => Shown(definition.Locate(path, message), "warning: ")))],
            [],
            [.. imported.PassedOver.Select(Passed),
                .. BpmnProblems.More(imported).Select(more => $"{file}: {more.Message}")]);

        string Passed(PassedOver one) => string.Create(CultureInfo.InvariantCulture,
            $"{file}:{one.Line}:{one.Column}: passed over: {one.Path}: {one.Kind} '{one.Name}' of '{one.Namespace}'");

        string Shown(BpmnFinding found, string severity) => string.Create(
            CultureInfo.InvariantCulture,
            $"{file}:{found.Line}:{found.Column}: {severity}{found.Subject}: {found.Message}");
    }

    private static FileContent ReadJson(string file, byte[] bytes)
    {
        var json =
            bytes.AsMemory(bytes.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? Encoding.UTF8.Preamble.Length : 0);
        var compiled = Compile(json);
        var places = JsonPlaces.Read(json.Span);
        if (compiled.Definition is { } definition)
        {
            return new(
                [new(definition, [], (path, message) => $"{file}:{places.Find(path)}: warning: {path}: {message}")], [],
                []);
        }

        return new(
            [], [.. compiled.Errors.Select(error => $"{file}:{places.Find(error.Path)}: {Described(error)}")], []);
    }

    private static DefinitionCompilation Compile(ReadOnlyMemory<byte> json) =>
        DefinitionCompiler.Compile(json, Rules);

    private static string Described(DefinitionError error)
    {
        var path = error.Path.Length == 0 ? "" : $"{error.Path}: ";
        var column = error.Column is { } number
            ? string.Create(CultureInfo.InvariantCulture, $" (column {number} of the expression)")
            : "";
        return $"{path}{error.Message}{column}";
    }

    // XML in any encoding begins with '<' after blanks and byte order marks; JSON never does.
    private static bool IsXml(ReadOnlySpan<byte> bytes) =>
        bytes.IndexOfAnyExcept(BeforeText) is >= 0 and var first && bytes[first] == (byte)'<';

    /// <summary>What a file has: definitions or errors, and the lines for what was passed over.</summary>
    private sealed record FileContent(
        IReadOnlyList<ReadDefinition> Definitions, IReadOnlyList<string> Errors, IReadOnlyList<string> PassedOver);

    /// <param name="Remarks">The lines for what its author should know.</param>
    /// <param name="Warning">The line for a warning, from its path in the definition and its text.</param>
    private sealed record ReadDefinition(
        WorkflowDefinition Compiled, IReadOnlyList<string> Remarks, Func<string, string, string> Warning)
    {
        public string Name => Compiled.Name;
    }
}
