namespace UnitTests.HouseStyle;

public sealed class NamespaceTests
{
    /// <summary>
    /// This project's assembly and those it is built with; and those of other projects in whose folders a build of the same configuration
    /// lies that is no older than their sources: after a build of the solution all of them.
    /// </summary>
    private static IEnumerable<(string Project, string Assembly)> Built => Repository.Projects
        .Select(project => (Project: project, Assembly: Find(project)))
        .Where(project => project.Assembly is not null)
        .Select(project => (project.Project, project.Assembly!));

    [Fact]
    public void Assemblies_that_these_tests_are_built_with_are_examined()
    {
        var names = Built.Select(project => Path.GetFileNameWithoutExtension(project.Assembly)).ToList();

        string[] least =
        [
            "UnitTests", "IntegrationTests.Shared", "PerformanceTesting", "LoadTesting.Core", "Workflow.Engine", "Payments.Service",
        ];
        Assert.Empty(least.Except(names));
    }

    [Fact]
    public void Namespaces_of_an_assembly_do_not_use_each_other() =>
        Rule.Holds(Built.SelectMany(project => Pairs(NamespaceUses.Of(project.Assembly), Composed(project.Project))));

    [Fact]
    public void Namespace_of_a_file_is_its_folder() =>
        Rule.Holds(SourceTypes.All
            .Where(type => type.Namespace.Length > 0 && IsOwn(type.Namespace, Composed(type.File)))
            .Where(type => type.Namespace != NamespaceOf(type.File))
            .Select(type => $"{type}: the namespace is {type.Namespace}, the folder says {NamespaceOf(type.File)}"));

    [Theory]
    [InlineData("PerformanceTesting"), InlineData("PerformanceTesting.Measurement")]
    public void Performance_testing_needs_no_test_framework(string assembly) =>
        Assert.DoesNotContain(References(assembly), name => name.StartsWith("xunit", StringComparison.OrdinalIgnoreCase));

    [Fact]
    public void Instrument_is_compiled_without_the_workflow() =>
        Rule.Holds(Built.Select(project => Path.GetFileNameWithoutExtension(project.Assembly))
            .Where(name => name.StartsWith("LoadTesting.", StringComparison.Ordinal))
            .SelectMany(name => References(name).Where(to => to.StartsWith("Workflow.", StringComparison.Ordinal)).Select(to => $"{name} -> {to}"))
            .Except(["LoadTesting.Tool -> Workflow.Abstractions", "LoadTesting.Tool -> Workflow.Bpmn"])); // Its command line reads definitions.

    [Fact]
    public void Pair_of_namespaces_that_use_each_other_is_found_with_its_evidence()
    {
        HashSet<TypeUse> uses =
        [
            new("A.One.X", "A.Two.Y"), new("A.Two.Z", "A.One.X"), new("A.One.X", "A.Three.W"), new("System.G", "A.One.X"),
        ];

        var pair = Assert.Single(Pairs(uses, "A"));

        Assert.Equal("A.One and A.Two use each other: A.One.X -> A.Two.Y; A.Two.Z -> A.One.X", pair);
    }

    [Fact]
    public void Use_is_found_in_signatures_code_closures_state_machines_and_attributes()
    {
        var uses = NamespaceUses.Of(typeof(NamespaceTests).Assembly.Location);
        var samples = typeof(NamespaceTests).Assembly.GetTypes().Where(type => type.Name.Contains("Used", StringComparison.Ordinal));

        Assert.Equal(
            samples.Select(type => type.FullName).Order(StringComparer.Ordinal),
            uses.Where(use => use.From == typeof(UsesAll<>).FullName).Select(use => use.To).Order(StringComparer.Ordinal));
    }

    private static IEnumerable<string> Pairs(IReadOnlySet<TypeUse> uses, string root)
    {
        var between = uses
            .Select(use => (From: NamespaceUses.NamespaceOf(use.From), To: NamespaceUses.NamespaceOf(use.To), Use: use))
            .Where(use => use.From != use.To && IsOwn(use.From, root) && IsOwn(use.To, root))
            .ToLookup(use => (use.From, use.To), use => use.Use);
        return between
            .Where(group => string.CompareOrdinal(group.Key.From, group.Key.To) < 0 && between.Contains((group.Key.To, group.Key.From)))
            .Select(group => $"{group.Key.From} and {group.Key.To} use each other: {Evidence(group)}; "
                + $"{Evidence(between[(group.Key.To, group.Key.From)])}")
            .Order(StringComparer.Ordinal);
    }

    private static string Evidence(IEnumerable<TypeUse> uses)
    {
        var all = uses.Select(use => $"{use.From}{SourceTypes.Place(use.From)} -> {use.To}").Order(StringComparer.Ordinal).ToList();
        return string.Join(", ", all.Take(4)) + (all.Count > 4 ? $" and {all.Count - 4} more" : "");
    }

    // Generators put code of theirs into namespaces of the framework, and a stand-in has those of the package it stands for.
    private static bool IsOwn(string name, string root) =>
        name == root.Split('.')[0] || name.StartsWith(root.Split('.')[0] + ".", StringComparison.Ordinal);

    private static string Composed(string path) => Path.GetDirectoryName(path)!.Replace("src/", "", StringComparison.Ordinal)
        .Replace("tests/", "", StringComparison.Ordinal).Replace('/', '.');

    // Scenario files written for NBomber change only the first word of its namespaces.
    private static string NamespaceOf(string path) =>
        Composed(path).Replace("LoadTesting.Compatibility", "LoadTesting", StringComparison.Ordinal);

    private static string? Find(string project)
    {
        var name = $"{Composed(project)}.dll";
        var here = Path.Combine(AppContext.BaseDirectory, name);
        if (File.Exists(here))
        {
            return here;
        }

        var place = Path.GetRelativePath(Repository.FullPath("tests/UnitTests"), AppContext.BaseDirectory);
        var folder = Path.GetDirectoryName(project)!;
        var there = new FileInfo(Path.Combine(Repository.FullPath(folder), place, name));
        return there.Exists && Repository.Sources.Where(file => file.StartsWith($"{folder}/", StringComparison.Ordinal))
            .All(file => File.GetLastWriteTimeUtc(Repository.FullPath(file)) <= there.LastWriteTimeUtc)
            ? there.FullName
            : null;
    }

    private static IEnumerable<string> References(string name) =>
        NamespaceUses.ReferencesOf(Built.Single(project => Path.GetFileNameWithoutExtension(project.Assembly) == name).Assembly);
}
