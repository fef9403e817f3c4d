namespace UnitTests.Workflow.Simulation;

/// <summary>What a seed came to.</summary>
/// <param name="Violations">Promises that were broken; empty when it passed.</param>
/// <param name="Trace">Hash of every step: the same in each run of the seed.</param>
internal sealed record SimulationResult(
    int Seed, IReadOnlyList<string> Violations, ulong Trace, int Steps, int Commits);
