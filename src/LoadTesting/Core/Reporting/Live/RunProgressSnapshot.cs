using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>The progress of a run, for displays and the progress file.</summary>
public sealed record RunProgressSnapshot : ProcessFigures
{
    [JsonConstructor]
    public RunProgressSnapshot()
    {
    }

    internal RunProgressSnapshot(ProcessFigures processes)
        : base(processes)
    {
    }

    public RunState State { get; init; }

    /// <summary>The run's directory name; null before there is one.</summary>
    public string? RunId { get; init; }

    public required ProcessOwner Process { get; init; }

    public required string Machine { get; init; }

    /// <summary>The boot of that machine.</summary>
    public required string BootId { get; init; }

    public required DateTimeOffset StartedUtc { get; init; }

    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>
    /// What is measured, by its full name; null between two scenarios. In <see cref="RunStage.Waiting"/>, the runs that
    /// this one waits for.
    /// </summary>
    public string? Subject { get; init; }

    public RunStage Stage { get; init; }

    /// <summary>How long it has been in this stage, in seconds.</summary>
    public double StageSeconds { get; init; }

    /// <summary>
    /// Empty unless a load is measured, or was and has no result yet: then with the figures of all of it.
    /// </summary>
    public IReadOnlyList<ScenarioProgress> Scenarios { get; init; } = [];

    /// <summary>Scenarios that were measured, by verdict; as <see cref="ScenarioCounts"/> counts them.</summary>
    public int Passed { get; init; }

    public int Failed { get; init; }

    public int Inconclusive { get; init; }

    /// <summary>
    /// What is measured as far as it is known: the results that are left where the process is killed now. Empty unless
    /// a load is measured, or was and has no result yet.
    /// </summary>
    public IReadOnlyList<ScenarioResult> Partial { get; init; } = [];

    /// <summary>Scenarios that were measured.</summary>
    public ScenarioCounts Counts() => new(Passed, Failed, Inconclusive);

    /// <summary>
    /// What may be slowing the generator at the moment; null if nothing is. The verdict on the generator is given at
    /// the end of the load.
    /// </summary>
    public string? GeneratorTrouble() =>
        Scenarios.Any(
            s => s.IntendedPerSecond is { } intended && intended - s.StartedPerSecond > Math.Max(2, 0.05 * intended))
            ? "behind"
        : Scenarios.Any(s => s.LagP99Ms > 10 && s.LagP99Ms > s.P95Ms / 10) ? "late"
        : PoolDelayP99Ms > 10 && Scenarios.All(s => PoolDelayP99Ms > s.P50Ms) ? "no free thread"
        : Cpu?.Generator > 0.85 ? "processors busy"
        : null;
}
