using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.Loader;
using Foundation;
using LoadTesting.Core.Catalogue;

namespace LoadTesting.Tool;

/// <summary>
/// Finds the catalogue of an assembly. Its dependencies come from beside it; the instrument is this tool's own.
/// </summary>
internal static class CatalogueLoader
{
    private const string BaseDirectory = "APP_CONTEXT_BASE_DIRECTORY";

    /// <summary>The catalogue in an assembly.</summary>
    /// <exception cref="FormatException">There is none that can be used; the message says why and what
    /// helps.</exception>
    public static IScenarioCatalogue Load(string path)
    {
        var full = Path.GetFullPath(path);
        Require(path, full);

        try
        {
            var assembly = new CatalogueContext(full).LoadFromAssemblyPath(full);
            var catalogues = assembly.GetExportedTypes()
                .Where(type => type is { IsClass: true, IsAbstract: false }
                    && typeof(IScenarioCatalogue).IsAssignableFrom(type)).ToList();
            return catalogues switch
            {
                [var only] when only.GetConstructor([]) is not null => Create(only, full),
                [var only] =>
                    throw new FormatException($"{path}: {only.FullName} has no public constructor "
                        + "without parameters. Give it one."),
                [] => throw new FormatException(
                    $"{path}: holds no catalogue. Add a public class that implements "
                        + $"{typeof(IScenarioCatalogue).FullName}, or name the assembly of the performance tests, e.g. "
                        + "tests/PerformanceTests/bin/Debug/net10.0/PerformanceTests.dll."),
                _ => throw new FormatException(
                    $"{path}: holds {catalogues.Count} catalogues, "
                        + $"{string.Join(" and ", catalogues.Select(type => type.FullName))}. Leave one public."),
            };
        }
        catch (TargetInvocationException exception)
        {
            throw new FormatException(Explain(path, exception.InnerException ?? exception), exception);
        }
        catch (Exception exception) when (IsOfLoading(exception))
        {
            throw new FormatException(Explain(path, exception), exception);
        }
    }

    /// <summary>Whether an assembly is missing, or is not the one that was compiled against.</summary>
    public static bool IsOfLoading(Exception exception) =>
        exception
            is TypeLoadException or MissingMemberException or FileNotFoundException { FileName: not null }
                or FileLoadException
            or ReflectionTypeLoadException or BadImageFormatException;

    public static string Explain(string path, Exception exception) => exception switch
    {
        ReflectionTypeLoadException { LoaderExceptions: [{ } first, ..] } => Explain(path, first),
        FileNotFoundException { FileName: { } missing } =>
            $"{path}: {missing.Split(',')[0]} is not beside it. Build or publish it with its "
                + "dependencies: dotnet build.",
        TypeLoadException or MissingMemberException =>
            $"{path}: was built against another version of this tool's instrument ({exception.Message}). Use the "
                + "wfperf of the same checkout, or build the assembly again.",
        _ => $"{path}: cannot be loaded: {UserMessage.Of(exception)}",
    };

    /// <summary>Runs the first code of the assembly, which looks for programs and files beside itself.</summary>
    private static IScenarioCatalogue Create(Type catalogue, string full)
    {
        AppContext.SetData(BaseDirectory, Path.GetDirectoryName(full)! + Path.DirectorySeparatorChar);
        return (IScenarioCatalogue)Activator.CreateInstance(catalogue)!;
    }

    /// <summary>Checks that need no loaded assembly.</summary>
    private static void Require(string path, string full)
    {
        if (!File.Exists(full))
        {
            throw new FormatException(
                Directory.Exists(full)
                    ? $"{path}: is a directory. Name the assembly in it, e.g. {Path.Combine(path, "PerformanceTests.dll")}."
                    : $"{path}: does not exist. Build it first: dotnet build tests/PerformanceTests.");
        }

        try
        {
            using var stream = File.OpenRead(full);
            using var image = new PEReader(stream);
            if (!image.HasMetadata)
            {
                throw new BadImageFormatException();
            }

            var metadata = image.GetMetadataReader();
            var runtime = metadata.AssemblyReferences.Select(metadata.GetAssemblyReference)
                .Where(reference =>
                    metadata.GetString(reference.Name) is "System.Runtime" or "mscorlib" or "netstandard")
                .Select(reference => (Name: metadata.GetString(reference.Name), reference.Version)).FirstOrDefault();
            if (runtime is { Name: "mscorlib" } || runtime.Version?.Major > Environment.Version.Major)
            {
                var target = runtime.Name == "mscorlib" ? ".NET Framework" : $".NET {runtime.Version!.Major}";
                throw new FormatException(
                    $"{path}: is built for {target}, and wfperf runs on .NET {Environment.Version.Major}. Build it for "
                    + $"net{Environment.Version.Major}.0 or older.");
            }
        }
        catch (BadImageFormatException exception)
        {
            throw new FormatException($"{path} is not a .NET assembly. Name the .dll that holds the scenarios.",
                exception);
        }
    }

    /// <summary>An assembly with its dependencies, beside the tool's own.</summary>
    private sealed class CatalogueContext(string path) : AssemblyLoadContext("catalogue")
    {
        private readonly AssemblyDependencyResolver _resolver = new(path);

        /// <summary>Of the instrument there is one: its types are what tool and catalogue say to each other.</summary>
        protected override Assembly? Load(AssemblyName assemblyName) =>
            assemblyName.Name is "LoadTesting.Core" or "Foundation"
                ? null
                : _resolver.ResolveAssemblyToPath(assemblyName) is { } found ? LoadFromAssemblyPath(found) : null;

        protected override IntPtr LoadUnmanagedDll(string unmanagedDllName) =>
            _resolver.ResolveUnmanagedDllToPath(unmanagedDllName) is { } found
                ? LoadUnmanagedDllFromPath(found) : IntPtr.Zero;
    }
}
