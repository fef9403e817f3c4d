using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>
/// The suite that Replane publishes: many event streams, users who publish to all of them, and both at once.
/// </summary>
public sealed class StreamTests(RunFixture run)
{
    /// <summary>Every kind at full size, in memory and on a database.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from kind in StreamScenario.Kinds from profile in new[] { "memory", "postgres" } select (kind, profile)];

    [Fact]
    [Trait(TierNames.Trait, TierNames.Smoke)]
    public Task Event_stream_fan_out() => run.MeasureAsync(StreamScenario.Small("sse-fanout"), "memory");

    [Theory]
    [InlineData("combined", "postgres")]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Event_streams_small(string kind, string profile) =>
        run.MeasureAsync(StreamScenario.Small(kind), profile);

    [Theory]
    [InlineData("admin-api", "postgres"), InlineData("combined", "memory")]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public Task Other_event_streams_small(string kind, string profile) =>
        run.MeasureAsync(StreamScenario.Small(kind), profile);

    /// <summary>For a second: its account would show a publication that the repeated warm-up left.</summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public async Task Full_size_event_streams_repeat_the_warm_up()
    {
        var variables = run.Variables with
        {
            SseClients = 20, SseDeliveriesPerSecond = 200, SseDuration = TimeSpan.FromSeconds(1),
        };

        var result = await run.MeasureAsync(StreamScenario.Of("sse-fanout", variables, TierNames.Smoke), "memory");

        Assert.Equal((10L, 0L), (result.Ledger!.Completed, result.Ledger.Lost));
        Assert.Contains(
            result.Notes, note => note.Contains("at most 5 % of each process's time", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(FullSizes))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public Task Event_streams(string kind, string profile) =>
        run.MeasureAsync(StreamScenario.Of(kind, run.Variables), profile);
}
