using System.Reflection;
using System.Runtime.Loader;

namespace UnitTests.Workflow.Building;

/// <summary>The compiler of the SDK that runs the tests, as a separate process, so that it needs no package.</summary>
internal static class CSharpCompiler
{
    // .../shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll
    private static readonly string Framework = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
    private static readonly string Root = Path.GetFullPath(Path.Combine(Framework, "..", "..", ".."));

    /// <summary>Compiles sources into one library and loads it. A warning fails like an error.</summary>
    public static async Task<Assembly> BuildAsync(IReadOnlyList<string> sources, CancellationToken cancellationToken)
    {
        var folder = Directory.CreateTempSubdirectory("workflow-code-");
        try
        {
            var library = Path.Combine(folder.FullName, "Generated.dll");
            var own = new[] { typeof(WorkflowDefinition).Assembly,
                typeof(global::Workflow.Contracts.Definitions.DefinitionInfo).Assembly };
            List<string> arguments =
            [
                "-nostdlib", "-target:library", "-nullable:enable", "-langversion:latest", "-warn:9999", "-warnaserror",
                "-debug-",
                $"-out:\"{library}\"",
                .. Directory.GetFiles(Framework, "*.dll").Where(IsManaged)
                    .Concat(own.Select(assembly => assembly.Location)).Select(file => $"-r:\"{file}\""),
            ];
            for (var i = 0; i < sources.Count; i++)
            {
                var file = Path.Combine(folder.FullName, $"{i}.cs");
                await File.WriteAllTextAsync(file, sources[i], cancellationToken);
                arguments.Add($"\"{file}\"");
            }

            var response = Path.Combine(folder.FullName, "arguments.rsp");
            await File.WriteAllLinesAsync(response, arguments, Encoding.UTF8, cancellationToken);
            var result = await Command.RunAsync(
                Path.Combine(Root, OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"),
                ["exec", Find(), "-nologo", "-noconfig", $"@{response}"],
                cancellationToken: cancellationToken);
            Assert.True(result.ExitCode == 0 && result.Output.Length == 0, result.Describe());
            using var image = new MemoryStream(await File.ReadAllBytesAsync(library, cancellationToken));
            return new AssemblyLoadContext("Generated", isCollectible: true).LoadFromStream(image);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static bool IsManaged(string file) =>
        Path.GetFileName(file) is var name
            && (name.StartsWith("System.", StringComparison.Ordinal) || name is "netstandard.dll" or "mscorlib.dll")
        && !name.Contains(".Native.", StringComparison.Ordinal);

    private static string Find() => Directory.GetDirectories(Path.Combine(Root, "sdk"))
        .Where(sdk => Path.GetFileName(sdk).StartsWith($"{Environment.Version.Major}.", StringComparison.Ordinal))
        .Select(sdk => Path.Combine(sdk, "Roslyn", "bincore", "csc.dll")).Where(File.Exists)
        .Order(StringComparer.Ordinal).LastOrDefault()
        ?? throw new InvalidOperationException($"No compiler lies under {Root}/sdk: "
            + "run the tests by the dotnet of an SDK.");
}
