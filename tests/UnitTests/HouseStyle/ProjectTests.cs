using System.Xml.Linq;

namespace UnitTests.HouseStyle;

public sealed partial class ProjectTests
{
    /// <summary>Built only with the switch of its package.</summary>
    private const string OnNBomber = "src/LoadTesting/NBomber/NBomber.csproj";

    [Fact]
    public void Solution_lists_every_project() =>
        Assert.Equal(Repository.Projects.Where(project => project != OnNBomber), Listed("Solution.sln").Order(StringComparer.Ordinal));

    [Fact]
    public void Package_versions_are_in_one_place()
    {
        var versions = Repository.Files
            .Where(file => file.EndsWith(".csproj", StringComparison.Ordinal) || IsBuildFile().IsMatch(file))
            .SelectMany(file => Repository.Xml(file).Descendants("PackageReference")
                .Where(package => package.Attribute("Version") is not null || package.Attribute("VersionOverride") is not null)
                .Select(package => $"{file}: {package.Attribute("Include")?.Value}"));

        Rule.Holds(versions);
    }

    [Fact]
    public void Projects_refer_only_to_what_their_place_allows()
    {
        var violations = Repository.Projects
            .Select(project => (From: Folder(project), To: References(project, Repository.Xml(project).Descendants("ProjectReference"))))
            .SelectMany(project =>
                project.To.Where(to => !AllowedReferences.Allows(project.From, to)).Select(to => $"{project.From} -> {to}"));

        Rule.Holds(violations);
    }

    [Fact]
    public void Packed_project_refers_only_to_packed_projects()
    {
        var packed = Repository.Projects
            .Where(project => Repository.Xml(project).Descendants("IsPackable").Any(value => value.Value == "true")).ToList();

        Assert.All(packed, project => Assert.Single(Repository.Xml(project).Descendants("Description")));

        // A tool has what it refers to in its own package.
        var libraries = packed.Where(project => !Repository.Xml(project).Descendants("PackAsTool").Any());
        Rule.Holds(libraries.SelectMany(project => References(project, Repository.Xml(project).Descendants("ProjectReference"))
            .Where(to => !packed.Any(other => Folder(other) == to)).Select(to => $"{project} -> {to}")));
        var filter = Regex.Matches(Repository.Text("src/LoadTesting/Templates/Packages.slnf"), "\"([^\"]+\\.csproj)\"")
            .Select(match => match.Groups[1].Value);
        Assert.Equal(packed.Order(StringComparer.Ordinal), filter.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Contracts_need_no_package() =>
        Assert.All(Repository.Projects.Where(project => project.EndsWith("/Contracts.csproj", StringComparison.Ordinal)), project =>
            Assert.Empty(Repository.Xml(project).Descendants("PackageReference")));

    [Theory]
    [InlineData("src/LoadTesting/Core", "src/Workflow/Contracts", false)]
    [InlineData("src/LoadTesting/Tool", "src/LoadTesting/Core", true)]
    [InlineData("src/LoadTesting/Tool", "src/Workflow/Bpmn", false)]
    [InlineData("src/LoadTesting/Tool", "src/Workflow/Engine", false)]
    [InlineData("src/LoadTesting/NBomber", "src/Workflow/Abstractions", false)]
    [InlineData("src/LoadTesting/Core", "src/LoadTesting/Tool", false)]
    [InlineData("src/LoadTesting/NBomber", "src/LoadTesting/Tool", false)]
    [InlineData("src/Workflow/Engine", "src/Workflow/Abstractions", true)]
    [InlineData("src/Workflow/Engine", "src/Workflow/Stores/PostgreSql", false)]
    [InlineData("src/Workflow/Diagrams", "src/Workflow/Abstractions", true)]
    [InlineData("src/Workflow/Diagrams", "src/Workflow/Engine", false)]
    [InlineData("src/Workflow/Bpmn", "src/Workflow/Abstractions", true)]
    [InlineData("src/Workflow/Bpmn", "src/Workflow/Diagrams", false)]
    [InlineData("src/Workflow/Engine", "src/Workflow/Diagrams", false)]
    [InlineData("src/Workflow/Stores/PostgreSql", "src/Workflow/Engine", false)]
    [InlineData("src/Workflow/Stores/PostgreSql", "src/Workflow/Notifications/Redis", false)]
    [InlineData("src/Workflow/Events/MassTransit", "src/Workflow/Abstractions", true)]
    [InlineData("src/Workflow/Contracts", "src/Workflow/Abstractions", false)]
    [InlineData("src/Workflow/WebService", "src/Workflow/Notifications/Redis", true)]
    [InlineData("src/Workflow/Client", "src/Workflow/WebService", false)]
    [InlineData("src/Workflow/Stores/PostgreSql", "src/Foundation", true)]
    [InlineData("src/LoadTesting/Core", "src/Foundation", true)]
    [InlineData("src/Workflow/Contracts", "src/Foundation", false)]
    [InlineData("src/Foundation", "src/LoadTesting/Core", false)]
    [InlineData("src/Workflow/WebService", "tests/UnitTests", false)]
    [InlineData("src/Workflow/WebService", "src/Payments/Contracts", false)]
    [InlineData("src/LoadTesting/Tool", "src/Payments/Contracts", false)]
    [InlineData("src/Payments/Service", "src/Payments/Contracts", true)]
    [InlineData("src/Payments/Service", "src/Workflow/Contracts", false)]
    [InlineData("src/Payments/Service", "src/LoadTesting/Core", false)]
    [InlineData("src/Payments/Contracts", "src/Payments/Service", false)]
    [InlineData("src/PerformanceTesting", "src/PerformanceTesting/Measurement", true)]
    [InlineData("src/PerformanceTesting", "src/PerformanceTesting/XunitV3", false)]
    [InlineData("src/PerformanceTesting/Measurement", "src/LoadTesting/Core", true)]
    [InlineData("src/PerformanceTesting/Measurement", "src/Workflow/Contracts", false)]
    [InlineData("src/PerformanceTesting/Measurement", "src/PerformanceTesting", false)]
    [InlineData("src/PerformanceTesting/XunitV3", "src/PerformanceTesting/Measurement", true)]
    [InlineData("src/PerformanceTesting/XunitV3", "src/PerformanceTesting", false)]
    [InlineData("src/Elsewhere", "src/Payments/Contracts", false)]
    [InlineData("tests/UnitTests", "src/Workflow/Engine", true)]
    public void Rule_of_references_knows_good_from_bad(string from, string to, bool allowed) =>
        Assert.Equal(allowed, AllowedReferences.Allows(from, to));

    [Fact]
    public void Test_project_takes_the_lock_of_test_runs()
    {
        Assert.NotEmpty(Repository.TestProjects);
        Assert.All(Repository.TestProjects, project =>
        {
            var name = Path.GetFileNameWithoutExtension(project);
            var expected = name == "PerformanceTests" ? "ExclusiveTestRun" : "SharedTestRun";
            var taken = Repository.Sources
                .Where(file => file.StartsWith($"{Folder(project)}/", StringComparison.Ordinal))
                .SelectMany(file => LockFixture().Matches(Repository.Text(file)))
                .Select(match => match.Groups[1].Value);
            Assert.Equal([expected], taken);
        });
    }

    private static IEnumerable<string> Listed(string solution) =>
        SolutionProject().Matches(Repository.Text(solution))
            .Select(match => Path.Combine(Repository.Root, Path.GetDirectoryName(solution)!, match.Groups[1].Value.Replace('\\', '/')))
            .Select(path => Path.GetRelativePath(Repository.Root, Path.GetFullPath(path)).Replace('\\', '/'));

    private static string Folder(string project) => Path.GetDirectoryName(project)!.Replace('\\', '/');

    private static IEnumerable<string> References(string project, IEnumerable<XElement> references) =>
        references
            .SelectMany(reference => reference.Attribute("Include")!.Value.Split(';'))
            .Select(reference => Path.Combine(Repository.Root, Folder(project), reference))
            .Select(path => Folder(Path.GetRelativePath(Repository.Root, Path.GetFullPath(path))));

    [GeneratedRegex("""^Project\("[^"]*"\) = "[^"]*", "([^"]*\.csproj)",""", RegexOptions.Multiline)]
    private static partial Regex SolutionProject();

    [GeneratedRegex(@"(^|/)Directory\.Build\.(props|targets)$")]
    private static partial Regex IsBuildFile();

    [GeneratedRegex(@"^\[assembly: AssemblyFixture\(typeof\((\w+TestRun)\)\)\]", RegexOptions.Multiline)]
    private static partial Regex LockFixture();
}
