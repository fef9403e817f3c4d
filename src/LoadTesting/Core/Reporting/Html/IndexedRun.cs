namespace LoadTesting.Core.Reporting.Html;

/// <summary>A run's directory as the index shows it.</summary>
/// <param name="Directory">Its name, beside the index.</param>
/// <param name="Run">The run; null where it cannot be read.</param>
/// <param name="Problem">Why it cannot be read; null where it can.</param>
/// <param name="HasReport">Whether there is a report to link to.</param>
internal sealed record IndexedRun(string Directory, RunResult? Run, string? Problem, bool HasReport);
