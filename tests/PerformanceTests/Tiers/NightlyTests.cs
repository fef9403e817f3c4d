namespace PerformanceTests.Tiers;

/// <summary>Every night: the larger published scenarios, and every scenario at its full size.</summary>
[Trait(TierNames.Trait, TierNames.Nightly)]
public sealed class NightlyTests(RunFixture run) : TierTests(run)
{
    /// <summary>Every scenario of <see cref="ScenarioTable"/> that has a full size, on every profile.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from variant in ScenarioTable.FullSizes from profile in new[] { "memory", "postgres" } select (variant.Name, profile)];

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Immediate_burst(string profile) => RunPublishedAsync(ImmediateBurstScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Delayed_burst(string profile) => RunPublishedAsync(DelayedBurstScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Synthetic_external_resume(string profile) => RunPublishedAsync(ExternalResumeScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Bulstrad_quotation_confirm_convert_to_policy(string profile) =>
        RunPublishedAsync(QuotationToPolicyScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(FullSizes))]
    public Task Full_size(string scenario, string profile)
    {
        var variant = ScenarioTable.FullSizes.Single(f => f.Name == scenario);
        return RunAsync(ScenarioTable.Make(variant with { Tier = TierNames.Nightly }), profile);
    }

    private Task RunPublishedAsync(ScenarioVariant variant, string profile)
    {
        Assert.SkipWhen(Variables.Size == ScenarioSize.Xl,
            $"{MeasurementVariables.SizeName}=xl: {nameof(Full_size)} runs its full size, {variant.At(ScenarioSize.Xl).Name}.");
        return RunAsync(ScenarioTable.Make(variant), profile);
    }
}
