using System.Xml.Linq;

namespace UnitTests.HouseStyle;

public sealed partial class ProjectTests
{
    /// <summary>Built only with the switch of its package.</summary>
    private const string OnNBomber = "src/LoadTesting/NBomber/NBomber.csproj";

    [Fact]
    public void Solution_lists_every_project() =>
        Assert.Equal(Repository.Projects.Where(project => project != OnNBomber),
            Listed("Solution.sln").Order(StringComparer.Ordinal));

    [Fact]
    public void Projects_refer_only_to_what_their_place_allows()
    {
        var violations = Repository.Projects
            .Select(project => (From: Folder(project),
                To: References(project, Repository.Xml(project).Descendants("ProjectReference"))))
            .SelectMany(project =>
                project.To.Where(to => !AllowedReferences.Allows(project.From, to))
                    .Select(to => $"{project.From} -> {to}"));

        Rule.Holds(violations);
    }

    [Fact]
    public void Packed_project_refers_only_to_packed_projects()
    {
        var packed = Repository.Projects
            .Where(project => Repository.Xml(project).Descendants("IsPackable").Any(value => value.Value == "true"))
            .ToList();

        Assert.All(packed, project => Assert.Single(Repository.Xml(project).Descendants("Description")));

        // A tool has what it refers to in its own package.
        var libraries = packed.Where(project => !Repository.Xml(project).Descendants("PackAsTool").Any());
        Rule.Holds(
            libraries.SelectMany(project => References(project, Repository.Xml(project).Descendants("ProjectReference"))
            .Where(to => !packed.Any(other => Folder(other) == to)).Select(to => $"{project} -> {to}")));
        var filter = Regex.Matches(Repository.Text("src/LoadTesting/Templates/Packages.slnf"), "\"([^\"]+\\.csproj)\"")
            .Select(match => match.Groups[1].Value);
        Assert.Equal(packed.Order(StringComparer.Ordinal), filter.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Contracts_need_no_package() =>
        Assert.All(Repository.Projects
            .Where(project => project.EndsWith("/Contracts.csproj", StringComparison.Ordinal)), project =>
            Assert.Empty(Repository.Xml(project).Descendants("PackageReference")));

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
            .Select(match => Path.Combine(
                Repository.Root, Path.GetDirectoryName(solution)!, match.Groups[1].Value.Replace('\\', '/')))
            .Select(path => Path.GetRelativePath(Repository.Root, Path.GetFullPath(path)).Replace('\\', '/'));

    private static string Folder(string project) => Path.GetDirectoryName(project)!.Replace('\\', '/');

    private static IEnumerable<string> References(string project, IEnumerable<XElement> references) =>
        references
            .SelectMany(reference => reference.Attribute("Include")!.Value.Split(';'))
            .Select(reference => Path.Combine(Repository.Root, Folder(project), reference))
            .Select(path => Folder(Path.GetRelativePath(Repository.Root, Path.GetFullPath(path))));

    [GeneratedRegex("""^Project\("[^"]*"\) = "[^"]*", "([^"]*\.csproj)",""", RegexOptions.Multiline)]
    private static partial Regex SolutionProject();

    [GeneratedRegex(@"^\[assembly: AssemblyFixture\(typeof\((\w+TestRun)\)\)\]", RegexOptions.Multiline)]
    private static partial Regex LockFixture();
}
