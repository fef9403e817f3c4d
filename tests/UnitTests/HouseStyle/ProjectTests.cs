using System.Xml.Linq;

namespace UnitTests.HouseStyle;

public sealed partial class ProjectTests
{
    private const int LongestProjectLines = 20;

    [Fact]
    public void Every_project_on_disk_is_in_one_of_the_two_solutions_and_the_other_way_round() =>
        Assert.Equal(
            Repository.Projects, Listed("Solution.sln").Concat(Listed("tests/FullFeed/FullFeed.sln")).Order(StringComparer.Ordinal));

    [Fact]
    public void Project_lists_only_what_is_its_own() =>
        Assert.All(Repository.Projects, project =>
            Assert.InRange(File.ReadLines(Repository.FullPath(project)).Count(), 1, LongestProjectLines));

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
    public void Project_of_the_default_build_refers_to_what_is_outside_of_it_only_on_the_full_feed()
    {
        var built = Listed("Solution.sln").ToHashSet(StringComparer.Ordinal);
        var outside = built
            .SelectMany(project => References(project, Repository.Xml(project).Descendants("ProjectReference").Where(IsInDefaultBuild))
                .Where(to => !built.Any(other => Folder(other) == to)).Select(to => $"{project} -> {to}"));

        Rule.Holds(outside);
    }

    [Fact]
    public void Whoever_refers_to_NBomber_takes_the_packages_that_it_brings()
    {
        var referring = new HashSet<string>(StringComparer.Ordinal) { "src/LoadTesting/NBomber" };
        while (Repository.Projects.Where(project => References(project, Repository.Xml(project).Descendants("ProjectReference"))
            .Any(referring.Contains)).Count(project => referring.Add(Folder(project))) > 0)
        {
            // Until nobody is added who refers to one of them.
        }

        var named = Repository.Xml("Directory.Packages.props").Descendants("ProjectsOnNBomber").Single().Value;
        Assert.Equal(
            referring.Select(folder => Regex.Replace(folder, "^(src|tests)/", "").Replace('/', '.')).Order(StringComparer.Ordinal),
            named.Split(';', StringSplitOptions.RemoveEmptyEntries));
    }

    /// <summary>What a stranger restores comes from packages of this repository and from feeds, and stands in for nothing.</summary>
    [Fact]
    public void What_is_packed_refers_only_to_what_is_packed_and_is_all_in_the_filter_that_packs_it()
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
    [InlineData("src/LoadTesting/Tool", "src/Workflow/Bpmn", true)]
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
    [InlineData("src/Workflow/WebService", "tests/FullFeed/StandIns", false)]
    [InlineData("src/Workflow/Stores/MongoDb", "tests/FullFeed/StandIns", true)]
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
    public void Every_test_project_takes_the_lock_between_test_assemblies_and_measurements_take_it_alone()
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

    private static bool IsInDefaultBuild(XElement reference) =>
        !new[] { reference, reference.Parent! }.Any(element => element.Attribute("Condition")?.Value == "'$(FullFeed)' == 'true'");

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
