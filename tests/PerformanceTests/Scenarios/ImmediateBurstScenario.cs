namespace PerformanceTests.Scenarios;

/// <summary>Signals that are due at once.</summary>
public sealed class ImmediateBurstScenario : BurstScenario
{
    public override string Name => "immediate-burst-smoke";

    public override string Question => "How fast does the durable signal path carry a burst, without a workflow behind it?";

    public override int Operations => 24;

    public override IReadOnlyList<string> Phases =>
        [PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.SignalToCompletion, PhaseNames.DrainToIdle];
}
