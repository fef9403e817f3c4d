using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>The capacity ladder, a test for each rung, and the search for the rate that is carried.</summary>
[Trait(TierNames.Trait, TierNames.Capacity)]
public sealed class CapacityTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    private readonly CapacityRunner _search = new(backends.Catalog, run);

    /// <summary>Every rung on every profile.</summary>
    public static TheoryData<string, string> Rungs { get; } =
        [.. from profile in new[] { "memory", "postgres", "postgres-redis", "oracle-aq", "oracle-redis", "mongo", "mongo-redis" } from rung in SignalRoundTripCapacityScenario.Ladder select (rung.Name, profile)];

    [Theory]
    [MemberData(nameof(Rungs))]
    public Task Signal_roundtrip(string rung, string profile)
    {
        var form = SignalRoundTripCapacityScenario.Ladder.Single(f => f.Name == rung);
        return RunAsync(new SignalRoundTripCapacityScenario(form.At(Variables.Size)), profile);
    }

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Search(string profile, HostingKind hosting)
    {
        Assert.SkipWhen(Variables.Size == ScenarioSize.Seed, $"The search for the capacity takes minutes: {PerformanceVariables.SizeName}=xl runs it.");
        return _search.RunAsync(new SignalRoundTripCapacitySearchScenario(), BackendProfile.Parse(profile), hosting, TestContext.Current.CancellationToken);
    }
}
