using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>Every night: the larger scenarios of the seed, and every scenario at its full size.</summary>
[Trait(TierNames.Trait, TierNames.Nightly)]
public sealed class NightlyTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    /// <summary>Every scenario of <see cref="ScenarioTable"/> that has a full size, on every profile.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from form in ScenarioTable.FullSizes from profile in new[] { "memory", "postgres" } select (form.Name, profile)];

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Immediate_burst(string profile) => RunSeedAsync(ImmediateBurstScenario.Nightly, profile);

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Delayed_burst(string profile) => RunSeedAsync(DelayedBurstScenario.Nightly, profile);

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Synthetic_external_resume(string profile) => RunSeedAsync(ExternalResumeScenario.Nightly, profile);

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Bulstrad_quotation_confirm_convert_to_policy(string profile) => RunSeedAsync(QuotationToPolicyScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(FullSizes))]
    public Task Full_size(string scenario, string profile)
    {
        var form = ScenarioTable.FullSizes.Single(f => f.Name == scenario);
        return RunAsync(ScenarioTable.Make(form with { Tier = TierNames.Nightly }), profile);
    }

    private Task RunSeedAsync(ScenarioForm form, string profile)
    {
        Assert.SkipWhen(Variables.Size == ScenarioSize.Xl, $"{PerformanceVariables.SizeName}=xl: {nameof(Full_size)} runs its full size, {form.At(ScenarioSize.Xl).Name}.");
        return RunAsync(ScenarioTable.Make(form), profile);
    }
}
