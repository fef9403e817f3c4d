using IntegrationTests.Shared.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>The capacity ladder, a test for each rung.</summary>
[Trait(TierNames.Trait, TierNames.Capacity)]
public sealed class CapacityTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    /// <summary>Every rung on every profile.</summary>
    public static TheoryData<string, string> Rungs { get; } =
        [.. from profile in new[] { "memory", "postgres" } from rung in SignalRoundTripCapacityScenario.Ladder select (rung.Name, profile)];

    [Theory]
    [MemberData(nameof(Rungs))]
    public Task Signal_roundtrip(string rung, string profile)
    {
        var form = SignalRoundTripCapacityScenario.Ladder.Single(f => f.Name == rung);
        return RunAsync(new SignalRoundTripCapacityScenario(form.At(Variables.Size)), profile);
    }
}
