namespace PerformanceTests.Tiers;

/// <summary>The capacity ladder, a test for each load step, and the search for the rate that is carried.</summary>
[Trait(TierNames.Trait, TierNames.Capacity)]
public sealed class CapacityTests(RunFixture run)
{
    /// <summary>Every load step on every profile.</summary>
    public static TheoryData<string, string> LoadSteps { get; } =
    [
        .. from profile in RunFixture.Profiles
           from step in SignalRoundTripCapacityScenario.Ladder
           select (step.Name, profile.Data),
    ];

    [Theory]
    [MemberData(nameof(LoadSteps))]
    public Task Signal_roundtrip(string scenario, string profile)
    {
        var variant = SignalRoundTripCapacityScenario.Ladder.Single(f => f.Name == scenario);
        return run.MeasureAsync(new SignalRoundTripCapacityScenario(variant.At(run.Variables.Size)), profile);
    }

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Search(string profile, HostingKind hosting)
    {
        Assert.SkipWhen(
            run.Variables.Size == ScenarioSize.Seed,
            $"The search for the capacity takes minutes: {MeasurementVariables.SizeName}=xl runs it.");
        return run.SearchAsync(new SignalRoundTripCapacitySearchScenario(), profile, hosting);
    }
}
