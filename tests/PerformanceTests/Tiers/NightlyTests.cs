namespace PerformanceTests.Tiers;

/// <summary>Every night: the larger published scenarios, and every scenario at its full size.</summary>
[Trait(TierNames.Trait, TierNames.Nightly)]
public sealed class NightlyTests(RunFixture run)
{
    private static readonly TimeSpan UsersStayFor = TimeSpan.FromSeconds(15);

    /// <summary>Every scenario of <see cref="ScenarioTable"/> that has a full size, on every profile.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from variant in ScenarioTable.FullSizes from profile in new[] { "memory", "postgres" }
            select (variant.Name, profile)];

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Immediate_burst(string profile) => RunPublishedAsync(ImmediateBurstScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Delayed_burst(string profile) => RunPublishedAsync(DelayedBurstScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Synthetic_external_resume(string profile) => RunPublishedAsync(ExternalResumeScenario.Nightly, profile);

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Bulstrad_quotation_confirm_convert_to_policy(string profile) =>
        RunPublishedAsync(QuotationToPolicyScenario.Nightly, profile);

    /// <summary>The published suite of virtual users: 500 of each kind, and of linear also 2,000.</summary>
    [Theory]
    [InlineData("linear", 500, "memory"), InlineData("linear", 500, "postgres")]
    [InlineData("parallel", 500, "memory"), InlineData("parallel", 500, "postgres")]
    [InlineData("events", 500, "memory"), InlineData("events", 500, "postgres")]
    [InlineData("events-polling", 500, "memory"), InlineData("events-polling", 500, "postgres")]
    [InlineData("mixed", 500, "memory"), InlineData("mixed", 500, "postgres")]
    [InlineData("linear", 2_000, "memory"), InlineData("linear", 2_000, "postgres")]
    public Task Virtual_users(string kind, int users, string profile) =>
        run.MeasureAsync(VirtualUserScenario.Of(kind, users, UsersStayFor), profile, HostingKind.Http);

    [Theory]
    [MemberData(nameof(FullSizes))]
    public Task Full_size(string scenario, string profile)
    {
        var variant = ScenarioTable.FullSizes.Single(f => f.Name == scenario);
        return run.MeasureAsync(ScenarioTable.Make(variant with { Tier = TierNames.Nightly }), profile);
    }

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Dormant_wakeup(string profile) =>
        run.MeasureAsync(new DormantWakeupScenario(DormantWakeupScenario.FullSize), profile);

    private Task RunPublishedAsync(ScenarioVariant variant, string profile)
    {
        Assert.SkipWhen(run.Variables.Size == ScenarioSize.Xl,
            $"{MeasurementVariables.SizeName}=xl: {nameof(Full_size)} runs its full size, "
                + $"{variant.At(ScenarioSize.Xl).Name}.");
        return run.MeasureAsync(ScenarioTable.Make(variant), profile);
    }
}
