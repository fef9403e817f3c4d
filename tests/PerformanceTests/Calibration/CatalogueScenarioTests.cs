using LoadTesting.Core.Catalogue;
using PerformanceTesting;

namespace PerformanceTests.Calibration;

/// <summary>A scenario that a reader adds is one that <c>wfperf run</c> has.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class CatalogueScenarioTests
{
    [Fact]
    public async Task Scenario_without_arguments_is_run_from_its_type()
    {
        var rows = new PerformanceCatalogue().OfTypes([typeof(EchoScenario)]).ToList();
        Assert.Equal(["echo-smoke", "echo-smoke-http"], rows.Select(row => row.Scenario.Name));
        var folder = Directory.CreateTempSubdirectory("wfperf-catalogue-");
        try
        {
            await using var run = new PerformanceRun(
                new BackendCatalog(new BackendVariables()), new MeasurementVariables(), [])
            {
                ResultsDirectory = folder.FullName,
            };

            var report = await rows[0].Measure(run, new CatalogueRequest(rows[0].Scenario, "memory"), Cancel);

            Assert.True(report.Result.Verdict.Outcome != VerdictOutcome.Failed, report.Summary);
            Assert.Equal(("memory-echo-smoke", 20), (report.Result.Name, report.Result.Ledger!.Completed));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public void Scenario_that_needs_arguments_is_left_to_its_own_line() => Assert.Empty(
        new PerformanceCatalogue().OfTypes(
            [typeof(ImmediateBurstScenario), typeof(RoundTripScenario), typeof(ScenarioTable)]));

    [Fact]
    public async Task Page_shows_the_scenario_that_is_run()
    {
        var tests = Path.Combine(Checkout.Root, "tests", "PerformanceTests");
        var page = await File.ReadAllTextAsync(Path.Combine(tests, "README.md"), Cancel);
        var file = await File.ReadAllTextAsync(Path.Combine(tests, "Calibration", "EchoScenario.cs"), Cancel);
        var code = file[file.IndexOf("internal", StringComparison.Ordinal)..];

        Assert.Contains(
            $"```csharp\n{code.Replace("internal sealed", "public sealed", StringComparison.Ordinal)}```", page,
            StringComparison.Ordinal);
    }
}
