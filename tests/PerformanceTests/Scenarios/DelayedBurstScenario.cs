namespace PerformanceTests.Scenarios;

/// <summary>Signals that are due 2 s after they are published.</summary>
public sealed class DelayedBurstScenario : BurstScenario
{
    public override string Name => "delayed-burst-smoke";

    public override string Question => "How punctual are durable delayed signals: never early, and how late?";

    public override int Operations => 12;

    public override TimeSpan DueAfter => TimeSpan.FromSeconds(2);

    public override IReadOnlyList<string> Phases =>
        [PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.SignalToCompletion, PhaseNames.DrainToIdle, PhaseNames.DueToCompletion];
}
