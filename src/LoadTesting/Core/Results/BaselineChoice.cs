namespace LoadTesting.Core.Results;

/// <summary>What becomes of a run that is to be a baseline.</summary>
/// <param name="Run">What is kept of it, with its warnings among the notes.</param>
/// <param name="Refusals">Why nothing is kept; empty where something is.</param>
/// <param name="LeftOut">Scenarios and searches that are not kept, each with its reason.</param>
/// <param name="Warnings">What is doubtful in what is kept.</param>
public sealed record BaselineChoice(
    RunResult Run, IReadOnlyList<BaselineRemark> Refusals, IReadOnlyList<BaselineRemark> LeftOut,
    IReadOnlyList<BaselineRemark> Warnings);
