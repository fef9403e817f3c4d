using System.Xml.Linq;

namespace UnitTests.HouseStyle;

/// <summary>The checkout that these tests were built from, as it is on disk.</summary>
internal static class Repository
{
    private static readonly string[] Generated =
        [".git", "bin", "obj", "node_modules", "TestResults", "BenchmarkDotNet.Artifacts"];

    public static string Root => Checkout.Root;

    /// <summary>Paths relative to the root with forward slashes, without generated files.</summary>
    public static IReadOnlyList<string> Files { get; } =
        [.. Enumerate(new DirectoryInfo(Root)).Order(StringComparer.Ordinal)];

    public static IEnumerable<string> Projects =>
        Files.Where(file => file.EndsWith(".csproj", StringComparison.Ordinal) && !IsOfTemplate(file));

    public static IEnumerable<string> Sources => Files.Where(file => file.EndsWith(".cs", StringComparison.Ordinal));

    /// <summary>Projects that hold tests, by the same exceptions as the build names.</summary>
    public static IEnumerable<string> TestProjects
    {
        get
        {
            var condition =
                Xml("tests/Directory.Build.props").Descendants("HoldsTests").Single().Attribute("Condition")!.Value;
            return Projects.Where(project => project.StartsWith("tests/", StringComparison.Ordinal) &&
                !condition.Contains($"'{Path.GetFileNameWithoutExtension(project)}'", StringComparison.Ordinal));
        }
    }

    public static string FullPath(string file) => Path.Combine(Root, file);
    public static string Text(string file) => File.ReadAllText(FullPath(file));
    public static XDocument Xml(string file) => XDocument.Load(FullPath(file));

    /// <summary>A project of a template belongs to its user and to no build of this repository.</summary>
    private static bool IsOfTemplate(string file) =>
        file.StartsWith("src/LoadTesting/Templates/wfperf-tests/", StringComparison.Ordinal);

    private static IEnumerable<string> Enumerate(DirectoryInfo directory)
    {
        foreach (var file in directory.EnumerateFiles().Where(file => file.Name != ".git"))
        {
            yield return Path.GetRelativePath(Root, file.FullName).Replace('\\', '/');
        }

        foreach (var file in directory.EnumerateDirectories().Where(child => !Generated.Contains(child.Name))
            .SelectMany(Enumerate))
        {
            yield return file;
        }
    }
}
