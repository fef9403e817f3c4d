using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>The suite that Replane publishes: many event streams, users who publish to all of them, and both at once.</summary>
public sealed class StreamTests(RunFixture run) : TierTests(run)
{
    /// <summary>Every kind at full size, in memory and on a database.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from kind in StreamScenario.Kinds from profile in new[] { "memory", "postgres" } select (kind, profile)];

    [Fact]
    [Trait(TierNames.Trait, TierNames.Smoke)]
    public Task Event_stream_fan_out() => RunAsync(StreamScenario.Small("sse-fanout"), "memory");

    [Theory]
    [InlineData("admin-api", "postgres"), InlineData("combined", "memory"), InlineData("combined", "postgres")]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Event_streams_small(string kind, string profile) => RunAsync(StreamScenario.Small(kind), profile);

    [Theory]
    [MemberData(nameof(FullSizes))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public Task Event_streams(string kind, string profile) => RunAsync(StreamScenario.Of(kind, Variables), profile);
}
