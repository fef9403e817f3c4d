using LoadTesting.Core.Analysis.Findings;

namespace PerformanceTesting.Measurement;

/// <summary>One look at the active sessions of a server.</summary>
/// <param name="At">When, in Stopwatch ticks.</param>
/// <param name="Waits">The sessions in each wait, by the server's name; empty where none was active.</param>
public sealed record SessionLook(long At, IReadOnlyDictionary<string, WaitSum> Waits);
