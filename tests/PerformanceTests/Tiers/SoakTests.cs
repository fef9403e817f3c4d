using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>For as long as <c>WORKFLOW_PERF_DURATION</c> says, else a number of operations.</summary>
[Trait(TierNames.Trait, TierNames.Soak)]
public sealed class SoakTests(RunFixture run)
{
    /// <summary>Some 15,000 instances a second that are kept for a day are 2 GB after this time.</summary>
    private static readonly TimeSpan LongestInMemory = TimeSpan.FromSeconds(30);

    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public async Task Signal_roundtrip(string profile)
    {
        await SkipWhatMemoryCannotKeepAsync(profile);
        var variant = SignalRoundTripSoakScenario.Soak.At(run.Variables.Size);
        await run.MeasureAsync(new SignalRoundTripSoakScenario(variant, run.Variables.Duration), profile);
    }

    /// <summary>The soak that Replane publishes: users who publish new versions, and many event streams.</summary>
    [Theory]
    [InlineData("memory"), InlineData("postgres")]
    public async Task Combined(string profile)
    {
        await SkipWhatMemoryCannotKeepAsync(profile);
        await run.MeasureAsync(StreamScenario.Soak(run.Variables, run.Variables.Duration), profile);
    }

    private async Task SkipWhatMemoryCannotKeepAsync(string profile)
    {
        await run.Catalog.RequireOrSkipAsync(profile, Cancel);
        Assert.SkipWhen(
            run.Catalog.Get(profile).KeepsAllInMemory && run.Variables.Duration > LongestInMemory,
            $"The memory store keeps every instance that completed; {MeasurementVariables.DurationName} of at most "
            + $"{LongestInMemory.TotalSeconds}s soaks it, longer ones are for durable backends.");
    }
}
