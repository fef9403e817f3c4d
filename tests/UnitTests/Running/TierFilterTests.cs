using System.Security;

namespace UnitTests.Running;

public sealed partial class TierFilterTests
{
    private const string Targets = "tests/Directory.Build.targets";
    private const string Measurements = "tests/PerformanceTests/PerformanceTests.csproj";

    private static readonly string[] Known =
    [
        "Category=WorkflowPerfSmoke", "Category=WorkflowPerfLatency", "Category=WorkflowPerfThroughput",
        "Category=WorkflowPerfCapacity",
        "Category=WorkflowPerfNightly", "Category=WorkflowPerfSoak", "Category=WorkflowPerfSmoke|Category=Calibration",
        "(Category=WorkflowPerfSmoke)&(FullyQualifiedName~Burst)", "Category!=WorkflowPerfSoak",
        "category=workflowperfsmoke",
        "Category=Integration", "FullyQualifiedName~WorkflowPerformance",
    ];

    private static readonly string[] Unknown =
    [
        "Category=WorkflowPerfSmok", "Category=WorkflowPerfSmokes", "Category=WorkflowPerf",
        "Category=workflowperfburst",
        "Category!=WorkflowPerfSmok",
        "Category=WorkflowPerfSmoke|Category=WorkflowPerfLatenzy", "(Category = WorkflowPerfPeak)",
    ];

    [Fact]
    public async Task Filter_of_an_unknown_tier_is_refused_with_the_known_ones()
    {
        var result = await EvaluateEachAsync("RefuseUnknownTier", [.. Known, .. Unknown]);

        var refused = result.Output.Split('\n')
            .Where(line => line.Contains("names a tier that does not exist", StringComparison.Ordinal)).ToList();
        Assert.Equal(Unknown.Length, refused.Count);
        Assert.All(Unknown,
            filter => Assert.Contains(refused, line => line.Contains($"'{filter}'", StringComparison.Ordinal)));
        const string Six =
            "WorkflowPerfSmoke, WorkflowPerfLatency, WorkflowPerfThroughput, WorkflowPerfCapacity, "
                + "WorkflowPerfNightly, WorkflowPerfSoak";
        Assert.All(refused, line => Assert.Contains(Six, line, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Refusal_comes_before_anything_is_built_or_run()
    {
        var result = await BuildAsync(
            Measurements, "-t:VSTest", "-p:VSTestNoBuild=true", "-p:VSTestTestCaseFilter=Category=WorkflowPerfSmok");

        Assert.Equal(1, result.ExitCode);
        Assert.Contains("names a tier that does not exist", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_filter_measurements_run_smoke_and_calibration_only()
    {
        var result = await BuildAsync(Measurements, "-getProperty:VSTestTestCaseFilter");

        Assert.Equal("Category=WorkflowPerfSmoke|Category=Calibration", result.Output.Trim());
    }

    [Fact]
    public async Task Without_a_filter_other_projects_leave_out_what_takes_long()
    {
        var result = await BuildAsync("tests/UnitTests/UnitTests.csproj", "-getProperty:VSTestTestCaseFilter");

        Assert.Equal("Category!=Extended&Category!=Daily", result.Output.Trim());
    }

    [Fact]
    public async Task Only_a_filter_of_tiers_alone_leaves_out_other_projects()
    {
        string[] alone =
        [
            "Category=WorkflowPerfSmoke", "category = workflowperfsoak",
            "Category=WorkflowPerfSmoke|Category=WorkflowPerfLatency",
            "Category=WorkflowPerfSmoke&FullyQualifiedName~Burst",
            "Category=WorkflowPerfSmoke&DisplayName~a|Category=WorkflowPerfSoak",
        ];
        string[] others =
        [
            "Category!=WorkflowPerfSmoke", "Category=WorkflowPerfSmoke|Category=Calibration", "Category=Extended",
            "FullyQualifiedName~a|Category=WorkflowPerfSmoke", "(Category=WorkflowPerfSmoke)", "Category=Integration",
        ];

        var result = await EvaluateEachAsync("Show", [.. alone, .. others]);

        Assert.All(alone,
            filter => Assert.Contains($"{filter}: is a test project 'false'", result.Output, StringComparison.Ordinal));
        Assert.All(others,
            filter => Assert.Contains($"{filter}: is a test project ''", result.Output, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Filter_of_a_tier_starts_the_project_of_the_tiers()
    {
        var result = await BuildAsync(
            Measurements, "-getProperty:IsTestProject", "-p:VSTestTestCaseFilter=Category=WorkflowPerfSmoke");

        // A project whose packages have not been restored has no value.
        Assert.NotEqual("false", result.Output.Trim());
    }

    [Theory]
    [InlineData("*Undefined*", true), InlineData("/any/Solution.sln", false)]
    public async Task Project_without_tiers_names_the_project_that_has_them(string solution, bool isAlone)
    {
        var result = await BuildAsync(
            "tests/UnitTests/UnitTests.csproj", "-t:VSTest", "-p:VSTestNoBuild=true",
            "-p:VSTestTestCaseFilter=Category=WorkflowPerfSmoke",
            $"-p:SolutionPath={solution}");

        const string Line =
            "UnitTests has no test of a tier; those are in PerformanceTests: "
                + "dotnet test tests/PerformanceTests --filter";
        Assert.Equal((0, isAlone), (result.ExitCode, result.Output.Contains(Line, StringComparison.Ordinal)));
    }

    [Fact]
    public void Tests_of_a_tier_are_in_one_project() =>
        Rule.Holds(Repository.Sources
            .Where(file =>
                file.StartsWith("tests/", StringComparison.Ordinal) && TraitOfTier().IsMatch(Repository.Text(file)))
            .Where(file => !file.StartsWith("tests/PerformanceTests/", StringComparison.Ordinal))
            .Select(file => $"{file}: a filter of tiers starts PerformanceTests only; move the test there"));

    // One evaluation for all the filters: a project that imports nothing but the rules calls one of them once for each.
    private static async Task<CommandResult> EvaluateEachAsync(string target, IEnumerable<string> filters)
    {
        var calls = filters.Select(filter =>
            $"""<MSBuild Projects="$(MSBuildProjectFullPath)" Targets="{target}" Properties="VSTestTestCaseFilter={SecurityElement.Escape(filter)}" ContinueOnError="true" />""");
        var directory = Directory.CreateTempSubdirectory("tier-filter-");
        try
        {
            var project = Path.Combine(directory.FullName, "filters.proj");
            var text = $"""
                <Project>
                  <PropertyGroup><HoldsTests>true</HoldsTests></PropertyGroup>
                  <Import Project="{SecurityElement.Escape(Repository.FullPath(Targets))}" />
                  <Target Name="Show"><Message Importance="high" Text="$(VSTestTestCaseFilter): is a test project '$(IsTestProject)'" /></Target>
                  <Target Name="Each">{string.Concat(calls)}</Target>
                </Project>
                """;
            await File.WriteAllTextAsync(project, text, Cancel);
            return await BuildAsync(project, "-t:Each");
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private static Task<CommandResult> BuildAsync(string project, params string[] arguments)
    {
        // A build that runs these tests passes its paths and servers on, which the build started here must not use.
        var environment = new Dictionary<string, string?>
        {
            ["MSBUILDDISABLENODEREUSE"] = "1",
            ["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0",
            ["VSTestTestCaseFilter"] = null,
        };
        return Command.RunAsync(
            Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet",
            ["msbuild", Repository.FullPath(project), "-nologo", "-m:1", .. arguments],
            environment,
            Cancel);
    }

    [GeneratedRegex(@"\[Trait\([^)]*(WorkflowPerf|TierNames\.(Smoke|Latency|Throughput|Capacity|Nightly|Soak)\b)")]
    private static partial Regex TraitOfTier();
}
