namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip, one after the other in each copy, for as long as a window of a gate lasts. Its verdict is that of
/// the smoke tier: by its account alone, for a second or two say nothing about steadiness.
/// </summary>
public sealed class SignalRoundTripWindowScenario(ScenarioVariant variant, TimeSpan window)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    /// <summary>Sixteen copies.</summary>
    public static ScenarioVariant Parallel { get; } = new("signal-roundtrip-windows-xl", TierNames.Smoke, 0, 16);

    /// <summary>One copy: the latency of a single workflow.</summary>
    public static ScenarioVariant Serial { get; } = new("signal-roundtrip-windows-serial-xl", TierNames.Smoke, 0, 1);

    public override string Question => "Is one build of the service slower, or costlier, than another?";

    public override TimeSpan? Duration => window;

    public override BatchShape Shape => BatchShape.Continuous;

    /// <summary>The windows before the first that counts have warmed up.</summary>
    public override int WarmUpOperations => 0;

    /// <param name="name">As <c>wfperf gate --scenario</c> has it; null for <see cref="Parallel"/>.</param>
    /// <exception cref="ArgumentException">There is no such load of windows.</exception>
    public static ScenarioVariant VariantOf(string? name)
    {
        ScenarioVariant[] all = [Parallel, Serial];
        return name is null
            ? Parallel : all.SingleOrDefault(variant => variant.Name == name) ?? throw new ArgumentException(
            $"'{name}' is no load of windows. There are {string.Join(" and ", all.Select(variant => variant.Name))}.",
            nameof(name));
    }
}
