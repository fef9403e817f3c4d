using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>For as long as <c>WORKFLOW_PERF_DURATION</c> says, else a number of operations.</summary>
[Trait(TierNames.Trait, TierNames.Soak)]
public sealed class SoakTests(RunFixture run) : TierTests(run)
{
    /// <summary>Some 15,000 instances a second that are kept for a day are 2 GB after this time.</summary>
    private static readonly TimeSpan LongestInMemory = TimeSpan.FromSeconds(30);

    [Theory]
    [MemberData(nameof(Profiles))]
    public async Task Signal_roundtrip(string profile)
    {
        await SkipWhatMemoryCannotKeepAsync(profile);
        await RunAsync(new SignalRoundTripSoakScenario(SignalRoundTripSoakScenario.Soak.At(Variables.Size), Variables.Duration), profile);
    }

    /// <summary>The soak that Replane publishes: users who publish new versions, and many event streams.</summary>
    [Theory]
    [InlineData("memory"), InlineData("postgres")]
    public async Task Combined(string profile)
    {
        await SkipWhatMemoryCannotKeepAsync(profile);
        await RunAsync(StreamScenario.Soak(Variables, Variables.Duration), profile);
    }

    private async Task SkipWhatMemoryCannotKeepAsync(string profile)
    {
        await Catalog.RequireOrSkipAsync(profile, Cancel);
        Assert.SkipWhen(
            Catalog.Get(profile).KeepsAllInMemory && Variables.Duration > LongestInMemory,
            $"The memory store keeps every instance that completed; {MeasurementVariables.DurationName} of at most "
            + $"{LongestInMemory.TotalSeconds}s soaks it, longer ones are for durable backends.");
    }
}
