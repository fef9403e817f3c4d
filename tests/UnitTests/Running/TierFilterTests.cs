using System.Security;
using PerformanceTesting.Processes;
using UnitTests.HouseStyle;

namespace UnitTests.Running;

public sealed class TierFilterTests
{
    private const string Targets = "tests/Directory.Build.targets";
    private const string Measurements = "tests/PerformanceTests/PerformanceTests.csproj";

    private static readonly string[] Known =
    [
        "Category=WorkflowPerfSmoke", "Category=WorkflowPerfLatency", "Category=WorkflowPerfThroughput", "Category=WorkflowPerfCapacity",
        "Category=WorkflowPerfNightly", "Category=WorkflowPerfSoak", "Category=WorkflowPerfSmoke|Category=Calibration",
        "(Category=WorkflowPerfSmoke)&(FullyQualifiedName~Burst)", "Category!=WorkflowPerfSoak", "category=workflowperfsmoke",
        "Category=Integration", "FullyQualifiedName~WorkflowPerformance",
    ];

    private static readonly string[] Unknown =
    [
        "Category=WorkflowPerfSmok", "Category=WorkflowPerfSmokes", "Category=WorkflowPerf", "Category=workflowperfburst",
        "Category!=WorkflowPerfSmok",
        "Category=WorkflowPerfSmoke|Category=WorkflowPerfLatenzy", "(Category = WorkflowPerfPeak)",
    ];

    [Fact]
    public async Task Filter_of_a_tier_that_does_not_exist_is_refused_with_the_list_of_the_six_and_every_other_filter_passes()
    {
        var result = await RefuseEachAsync([.. Known, .. Unknown]);

        var refused = result.Output.Split('\n')
            .Where(line => line.Contains("names a tier that does not exist", StringComparison.Ordinal)).ToList();
        Assert.Equal(Unknown.Length, refused.Count);
        Assert.All(Unknown, filter => Assert.Contains(refused, line => line.Contains($"'{filter}'", StringComparison.Ordinal)));
        const string Six =
            "WorkflowPerfSmoke, WorkflowPerfLatency, WorkflowPerfThroughput, WorkflowPerfCapacity, WorkflowPerfNightly, WorkflowPerfSoak";
        Assert.All(refused, line => Assert.Contains(Six, line, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("VSTest"), InlineData("Build")]
    public async Task Refusal_comes_before_anything_is_built_or_run(string target)
    {
        var result = await BuildAsync(
            Measurements, $"-t:{target}", "-p:VSTestNoBuild=true", "-p:VSTestTestCaseFilter=Category=WorkflowPerfSmok");

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

        Assert.Equal("Category!=Extended", result.Output.Trim());
    }

    [Fact]
    public async Task Filter_of_the_user_replaces_the_default_one()
    {
        var result = await BuildAsync(
            Measurements, "-getProperty:VSTestTestCaseFilter", "-p:VSTestTestCaseFilter=Category=WorkflowPerfNightly");

        Assert.Equal("Category=WorkflowPerfNightly", result.Output.Trim());
    }

    // One evaluation for all the filters: a project that imports nothing but the rule calls it once for each.
    private static async Task<CommandResult> RefuseEachAsync(IEnumerable<string> filters)
    {
        var calls = filters.Select(filter =>
            $"""<MSBuild Projects="$(MSBuildProjectFullPath)" Targets="RefuseUnknownTier" Properties="VSTestTestCaseFilter={SecurityElement.Escape(filter)}" ContinueOnError="true" />""");
        var directory = Directory.CreateTempSubdirectory("tier-filter-");
        try
        {
            var project = Path.Combine(directory.FullName, "filters.proj");
            var text = $"""
                <Project>
                  <PropertyGroup><HoldsTests>true</HoldsTests></PropertyGroup>
                  <Import Project="{SecurityElement.Escape(Repository.FullPath(Targets))}" />
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
        // The build that runs these tests hands its own paths and servers down, which a build of its own must not take for its.
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
}
